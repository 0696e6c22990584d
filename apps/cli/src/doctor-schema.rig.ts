import { Ajv2020 } from 'ajv/dist/2020.js';

const text = { type: 'string', minLength: 1 };
const orNull = { type: ['string', 'null'] };
const flag = { type: 'boolean' };
const level = { enum: ['enforced', 'partial', 'declared'] };
const holder = { enum: ['cgroup', 'prlimit', 'watchdog', 'none'] };
const list = (items: object) => ({ type: 'array', items });
/** An object with these members and no other; those whose name ends with "?" may be missing. */
function exact(members: Readonly<Record<string, object>>): object {
  const names = Object.keys(members);
  return {
    type: 'object',
    additionalProperties: false,
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), members[name]])),
  };
}

const sandboxSchema = exact({
  backend: { enum: ['bubblewrap', 'container', 'seatbelt', 'landlock', 'none'] },
  usable: flag,
  contains: flag,
  'reason?': text,
  'nextStep?': text,
  backends: list(
    exact({
      backend: { enum: ['bubblewrap', 'container', 'seatbelt', 'landlock'] },
      usable: flag,
      enforces: flag,
      'found?': text,
      'reason?': text,
      'nextStep?': text,
    }),
  ),
  limits: exact({ memoryBytes: holder, processes: holder, fileBytes: holder, openFiles: holder, wallMs: holder }),
  limitGaps: list(text),
  systemCallFilter: flag,
  allowLists: flag,
});

/** docs/cli.md, doctor. */
const schema = exact({
  ok: flag,
  verdict: level,
  conclusion: text,
  required: { enum: ['enforced', 'declared'] },
  machine: exact({ version: text, node: text, system: text, distribution: orNull, root: flag }),
  findings: list(
    exact({
      id: { enum: ['node', 'data-directory', 'store', 'address', 'agents', 'network', 'escapes'] },
      state: { enum: ['ok', 'weak', 'wrong', 'skipped'] },
      detail: text,
      'next?': text,
    }),
  ),
  agents: list(exact({ name: text, command: text, path: orNull, version: orNull })),
  sandbox: sandboxSchema,
  enforcement: {
    anyOf: [
      { type: 'null' },
      exact({
        backend: { enum: ['bubblewrap', 'container', 'seatbelt', 'landlock', 'none'] },
        fs: level,
        network: level,
        limits: level,
        limitsTier: holder,
        gaps: list(text),
      }),
    ],
  },
  escapes: list(
    exact({ id: text, what: text, verdict: { enum: ['blocked', 'escaped', 'not-applicable'] }, detail: text }),
  ),
  durationMs: { type: 'integer', minimum: 0 },
});
const ajv = new Ajv2020({ strict: false });

/** What of a report is not as docs/cli.md says; "No errors" where all is. */
export const complaintsAboutReport = complainer(schema);
/** The same of what `GET /v1/sandbox` gives. */
export const complaintsAboutSandbox = complainer(sandboxSchema);

function complainer(of: object): (value: unknown) => string {
  const valid = ajv.compile(of);
  return (value) => ajv.errorsText(valid(value) ? [] : valid.errors);
}
