import { z } from 'zod';

/*
 * The shapes that the control API gives of sessions that are yet to be made, for the OpenAPI document: those of boundary-preview.ts in
 * packages/protocol.
 */

const access = z.enum(['rw', 'ro']);
const outcome = z.enum(['allow', 'deny', 'ask_user', 'ask_admin']);
const level = z.enum(['enforced', 'partial', 'declared']);
const network = z.union([z.enum(['none', 'full']), z.looseObject({ allow: z.array(z.string()) })]);

const rootSchema = z.looseObject({
  path: z.string(),
  access,
  kind: z.enum(['directory', 'file']).optional().describe('A directory unless told'),
  name: z.string().optional(),
  risks: z.array(z.string()),
  highRisk: z.boolean(),
  inProject: z.boolean(),
  why: z.string().optional().describe('Why no approval can give it to an MCP server, and what to do instead'),
  workspace: z.string().optional().describe('The workspace of the configuration that it lies in'),
});

const serverSchema = z.looseObject({
  identity: z.looseObject({ name: z.string(), fingerprint: z.string() }).describe('As its reviews show it'),
  off: z.boolean().describe('The session would be without it'),
  start: outcome,
  policies: z.array(z.string()).describe('Ids of the policies that decide whether it starts'),
  roots: z
    .array(
      z.looseObject({
        path: z.string(),
        access,
        outcome,
        allowed: z.enum(['rw', 'ro', 'none']).describe('What it may be used for without anybody being asked'),
        policies: z.array(z.string()),
        only: z.array(z.string()).optional().describe('All of it that the server would have'),
        why: z.string().optional(),
      }),
    )
    .describe('What becomes of each root once it runs'),
});

export const boundaryPreviewSchema = z.looseObject({
  cwd: z.string().optional(),
  roots: z.array(rootSchema).describe('Those that can be had, in order, canonical'),
  network: network.optional().describe('What the agent would reach'),
  enforcement: z.looseObject({
    backend: z.enum(['bubblewrap', 'container', 'seatbelt', 'landlock', 'none']),
    files: level,
    network: level,
    gaps: z.array(z.string()).describe('What is not held: a sentence each'),
  }),
  servers: z.array(serverSchema),
  ungoverned: z
    .array(z.looseObject({ name: z.string(), from: z.string() }))
    .describe('Servers that the agent would start by itself, past Reeve, each with the file that names it'),
  issues: z
    .array(z.looseObject({ path: z.string(), expected: z.string(), received: z.string(), fix: z.string() }))
    .describe('What keeps the session from being made'),
  refusal: z.string().optional().describe('Why no agent would be started there'),
  notes: z.array(z.string()).describe('What is amiss with servers that files name'),
});

export const directoryListSchema = z.looseObject({
  path: z.string().optional(),
  directories: z.array(z.looseObject({ name: z.string(), path: z.string() })),
  cut: z.boolean().describe('There are more (`limits.maxListedDirectories`)'),
});
