/** What a fake agent process is able to do, and how it misbehaves. `load` and `modes` are on by default. */
export interface FakeAgentFlags {
  /** Speaks ACP v2 too, with clients that ask for it. */
  readonly v2: boolean;
  readonly load: boolean;
  readonly resume: boolean;
  readonly list: boolean;
  /** Sessions per page of `session/list` (`--list=N`). */
  readonly listPage: number;
  readonly close: boolean;
  readonly delete: boolean;
  readonly fork: boolean;
  readonly addDirs: boolean;
  readonly modes: boolean;
  readonly configOptions: boolean;
  readonly models: boolean;
  /** A config option of the kind `boolean` beside the others. */
  readonly booleanOption: boolean;
  /** Modes, models and options are told by `session/new` alone, and forgotten by the next process. */
  readonly settingsOnce: boolean;
  /** Every request that sets a mode, a model or an option fails. */
  readonly refuseSettings: boolean;
  /** `session/set_config_option` is answered with `{}`. */
  readonly bareAnswers: boolean;
  /** Updates tell of every mode and option that is set, before the answer. */
  readonly tellSettings: boolean;
  readonly requireAuth: boolean;
  /** `agentInfo.version` of its `initialize` result (`--agent-version=X`). */
  readonly agentVersion: string;
  /** Every `session/new` answers this id. */
  readonly sessionId: string | undefined;
  /** What the ids of its own requests look like; both restart at 0 in each process. */
  readonly requestIds: 'integer' | 'string';
  /** Where transcripts are kept, so that another process can load or resume its sessions. */
  readonly stateDir: string | undefined;
  readonly banner: boolean;
  readonly hangInitialize: boolean;
  readonly exitEarly: number | undefined;
  readonly ignoreEof: boolean;
  readonly ignoreSigterm: boolean;
  /** `child`: in its process group; `setsid`: in a session of its own; `hold`: keeps the agent's stdio open. */
  readonly grandchild: 'none' | 'child' | 'setsid' | 'hold';
  /** Bytes written to stderr at the start. */
  readonly stderrNoise: number;
}

const known = new Set(
  (
    'v2 load no-load resume list close delete fork add-dirs modes no-modes config-options models ' +
    'boolean-option settings-once refuse-settings bare-answers tell-settings require-auth session-id ' +
    'agent-version integer-ids string-ids state-dir banner hang-initialize exit-early ignore-eof ignore-sigterm grandchild stderr-noise'
  ).split(' '),
);

/** Reads `--name` and `--name=value`. Throws on an unknown name and on a number that is none. */
export function parseFlags(argv: readonly string[]): FakeAgentFlags {
  const given = new Map<string, string>();
  for (const argument of argv) {
    const [, name = '', value = ''] = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (!known.has(name)) throw new Error(`fake agent: unknown flag ${argument}; it knows ${[...known].join(' ')}`);
    given.set(name, value);
  }
  const number = (name: string, fallback: number): number => {
    const text = given.get(name);
    if (text === undefined || text === '') return fallback;
    const value = Number(text);
    if (!Number.isInteger(value)) throw new Error(`fake agent: --${name} wants a whole number, not ${text}`);
    return value;
  };
  const grandchild = given.get('grandchild');
  return {
    v2: given.has('v2'),
    load: !given.has('no-load'),
    resume: given.has('resume'),
    list: given.has('list'),
    listPage: number('list', 50),
    close: given.has('close'),
    delete: given.has('delete'),
    fork: given.has('fork'),
    addDirs: given.has('add-dirs'),
    modes: !given.has('no-modes'),
    configOptions: given.has('config-options'),
    models: given.has('models'),
    booleanOption: given.has('boolean-option'),
    settingsOnce: given.has('settings-once'),
    refuseSettings: given.has('refuse-settings'),
    bareAnswers: given.has('bare-answers'),
    tellSettings: given.has('tell-settings'),
    requireAuth: given.has('require-auth'),
    agentVersion: given.get('agent-version') || '1.0.0',
    sessionId: given.get('session-id'),
    requestIds: given.has('string-ids') ? 'string' : 'integer',
    stateDir: given.get('state-dir'),
    banner: given.has('banner'),
    hangInitialize: given.has('hang-initialize'),
    exitEarly: given.has('exit-early') ? number('exit-early', 1) : undefined,
    ignoreEof: given.has('ignore-eof'),
    ignoreSigterm: given.has('ignore-sigterm'),
    grandchild:
      grandchild === undefined ? 'none' : grandchild === 'setsid' || grandchild === 'hold' ? grandchild : 'child',
    stderrNoise: number('stderr-noise', 0),
  };
}
