import { type Command, InvalidArgumentError } from 'commander';

/** The options of every command that speaks to a server. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the server, instead of the one that runs on the data directory ($REEVE_URL)')
    .option('--token <token>', 'its token ($REEVE_TOKEN)')
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data directory');
}

/** Reads an option that is a whole number from `low` up. */
export function wholeNumber(low: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < low) {
      throw new InvalidArgumentError(`Write a whole number from ${low}.`);
    }
    return value;
  };
}
