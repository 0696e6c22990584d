import type { NewBoundary, ReviewResult } from '@reeve/protocol';
import { z } from 'zod';

/*
 * What callers of the control API may say of boundaries, servers and policies. The message of each issue is what was expected there.
 * JSON has no undefined: what is optional and left out is not there, which schemas cannot say.
 */

const PATH = 'an absolute path';
const ACCESS = '"rw" for reading and writing, "ro" for reading';
const SCOPE = '"session", "project" or "always"';
const NETWORK = '"none", "full" or {"allow": ["host" or "host:port", …]}';
const ROOTS = 'a list of {"path": …, "access": "rw" or "ro"}';
const TIME = 'milliseconds since the epoch';
const NAME = 'a name: 1 to 200 characters without control characters';
const SESSION = 'the id of a session';
const FINGERPRINT = 'the fingerprint of a server: "sha256:" and hexadecimal digits';

/** More than any boundary may have: how many it may have is for the boundary to say. */
const MAX_ROOTS = 100_000;
const MAX_FILES = 100;

export const pathText = z
  .string({ error: PATH })
  .startsWith('/', { error: PATH })
  .max(4096, { error: `${PATH} of at most 4096 characters` })
  .refine((path) => !path.includes('\0'), { error: `${PATH} without NUL` });
const access = z.enum(['rw', 'ro'], { error: ACCESS });
const scope = z.enum(['session', 'project', 'always'], { error: SCOPE });
const expiresAt = z.int({ error: TIME }).min(0, { error: TIME });
const expiresAtOrNever = z.union([expiresAt, z.null()], { error: `${TIME}, or null` });
const name = z.string({ error: NAME }).regex(/^\P{Cc}{1,200}$/u, { error: NAME });
const network = z.union(
  [z.enum(['none', 'full']), z.strictObject({ allow: z.array(z.string().min(1).max(300)).max(256) })],
  { error: NETWORK },
);
const rootKind = z.enum(['directory', 'file'], { error: '"directory" or "file"' });
const root = z.strictObject(
  {
    path: pathText,
    access,
    kind: rootKind.optional().describe('What must be there; either, unless told'),
    name: name.optional(),
  },
  { error: ROOTS },
);
const roots = z.array(root, { error: ROOTS }).max(MAX_ROOTS, { error: ROOTS });

/** `PUT /v1/sessions/{id}/boundary` */
export const NEW_BOUNDARY = 'a JSON object with "roots", "network", "require" or "expectedRevision"';
export const newBoundary = z.strictObject(
  {
    roots: roots.min(1, { error: 'at least one {"path": …, "access": …}' }).optional(),
    network: network.optional(),
    require: z.enum(['enforced', 'declared'], { error: '"enforced" or "declared"' }).optional(),
    expectedRevision: z.int({ error: 'a revision: a whole number from 1' }).min(1).optional(),
  },
  { error: NEW_BOUNDARY },
) as z.ZodType<NewBoundary>;

/** `POST /v1/sessions/{id}/boundary/narrow` */
export const NARROWED = 'a JSON object with "roots" or "network": what may stay';
export const narrowed = z.strictObject(
  { roots: roots.optional(), network: network.optional() },
  { error: NARROWED },
) as z.ZodType<Pick<NewBoundary, 'roots' | 'network'>>;

/** `POST /v1/sessions/{id}/boundary/revoke` */
export const REVOKED = 'a JSON object with "path", and "server" to take it from one server alone';
export const revoked = z.strictObject({ path: pathText, server: name.optional() }, { error: REVOKED });

const wish = {
  server: name.optional(),
  path: pathText,
  access,
  scope: scope.optional(),
  expiresAt: expiresAt.optional(),
};

/** `POST /v1/sessions/{id}/roots/request` */
export const ROOT_WISH = 'a JSON object with "path" and "access"';
export const rootWish = z.strictObject(wish, { error: ROOT_WISH });

/** `POST /v1/grants` */
export const NEW_GRANT = 'a JSON object with "session", "path" and "access"';
export const newGrant = z.strictObject(
  { session: z.string({ error: SESSION }).min(1, { error: SESSION }), ...wish },
  { error: NEW_GRANT },
);

/** `GET /v1/sessions/{id}/roots/check` */
export const pathQuery = z.object({ path: pathText });

/** `GET /v1/workspaces/{name}/directories` */
export const directoryQuery = z.object({
  path: pathText.optional().describe('In the roots of the workspace; these themselves when left out'),
});

/** `GET /v1/grants` */
export const decisionQuery = z.object({
  session: z.string().min(1, { error: SESSION }).optional(),
  fingerprint: z.string().startsWith('sha256:', { error: FINGERPRINT }).optional(),
  scope: scope.optional(),
});

/** `GET /v1/servers` */
export const serverQuery = z.object({ session: z.string().min(1, { error: SESSION }).optional() });

const reviewed = {
  scope: scope.optional(),
  expiresAt: expiresAt.optional(),
  trusted: z.boolean({ error: 'true or false' }).optional(),
  network: network.optional(),
  roots: z
    .array(z.strictObject({ path: pathText, access }, { error: ROOTS }), { error: ROOTS })
    .max(MAX_ROOTS)
    .optional(),
};

const ofSession = { session: z.string({ error: SESSION }).min(1, { error: SESSION }).optional() };

/** `POST /v1/servers/{fingerprint}/approve` */
export const SERVER_APPROVAL = 'a JSON object with "session", "scope", "expiresAt", "trusted", "network" or "roots"';
export const serverApproval = z.strictObject(
  { ...ofSession, ...reviewed, expiresAt: expiresAtOrNever.optional() },
  { error: SERVER_APPROVAL },
);

/** `POST /v1/servers/{fingerprint}/deny` */
export const SERVER_DENIAL = 'a JSON object with "session", "scope", "expiresAt" or "reason"';
export const serverDenial = z.strictObject(
  { ...ofSession, scope: scope.optional(), expiresAt: expiresAt.optional(), reason: z.string().max(4096).optional() },
  { error: SERVER_DENIAL },
);

/** An answer to a review. */
export const reviewAnswer = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  ...reviewed,
  others: z.enum(['deny', 'ask'], { error: '"deny" or "ask"' }).optional(),
  reason: z.string().max(4096).optional(),
}) as z.ZodType<ReviewResult>;

const file = z.strictObject(
  { name: z.string().min(1).max(4096), text: z.string().max(1024 * 1024) },
  { error: 'a file: {"name": …, "text": …}' },
);

/** `POST /v1/policies/check` */
export const POLICY_FILES = 'a JSON object {"files": [{"name": …, "text": …}]}';
export const policyFiles = z.strictObject(
  {
    files: z
      .array(file, { error: POLICY_FILES })
      .min(1, { error: POLICY_FILES })
      .max(MAX_FILES, { error: POLICY_FILES }),
  },
  { error: POLICY_FILES },
);

/** `POST /v1/policies/explain` */
export const FACTS = 'a JSON object {"facts": {"kind": …, …}}';
export const factsBody = z.strictObject(
  { facts: z.custom<unknown>((facts) => facts !== undefined, { error: 'the facts of a case: {"kind": …, …}' }) },
  { error: FACTS },
);
