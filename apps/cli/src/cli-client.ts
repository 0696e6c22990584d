import pkg from '../package.json' with { type: 'json' };

/** How the command line names itself to a server, over HTTP and ACP. */
export const CLI_CLIENT = { name: 'reeve-cli', version: pkg.version } as const;
