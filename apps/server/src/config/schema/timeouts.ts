import { z } from 'zod';
import { ms } from './values.ts';

/** How long everything may take. */
export const timeouts = z
  .strictObject(
    {
      /** From an agent's start to its answer to `initialize`. */
      initializeMs: ms(30_000),
      sessionNewMs: ms(120_000),
      /** Silence of an agent that takes a session back, after which the next way to restore it is tried. */
      restoreMs: ms(20_000),
      /** From the cancelling of a turn to its answer, whatever the agent does; 0 waits for the agent for ever. */
      cancelMs: ms(10_000, 0),
      /** For what is asked of an agent about sessions that only it knows: its part of a list. */
      agentListMs: ms(5000),
      /** Between two heartbeats towards a client. */
      heartbeatMs: ms(15_000, 10),
      /** Silence after which a client counts as gone. */
      vanishedMs: ms(45_000, 10),
      /** From the end of an agent's stdin to SIGTERM, and from there to SIGKILL. */
      agentStopGraceMs: ms(1500, 0),
      agentStopKillMs: ms(1500, 0),
      /** From SIGTERM to the server's end, whatever still runs. */
      shutdownMs: ms(10_000),
      httpConnectionIdleMs: ms(60_000),
      /** From the beginning of an HTTP request to the end of its body. */
      bodyMs: ms(120_000, 10),
      /** After this long without a client and without a turn, a session gives its agent process back. */
      idleAgentMs: ms(1_800_000),
      /** How long a permission waits for an answer before it is rejected. 0: for ever. */
      permissionMs: ms(0, 0),
      /** The same for a question. */
      questionMs: ms(0, 0),
      /** The same for a review, which is then denied. */
      reviewMs: ms(0, 0),
      /** Between two looks at what the roots of a session are. */
      rootCheckMs: ms(10_000),
      /** How long calls wait for an MCP server that keeps its roots to fetch them again after a change. */
      mcpStaleRootsMs: ms(2000, 0),
      /** How long calls that run have before their MCP server is replaced. */
      mcpDrainMs: ms(5000, 0),
      /** For one attempt to deliver an alarm. */
      alarmMs: ms(10_000),
      /** For one question to the npm registry about a package. */
      registryMs: ms(30_000),
      /** For the installation of one version of an agent. */
      installMs: ms(300_000),
      /** How long an agent's opening of an MCP server waits for that server, before it is answered with empty lists. */
      mcpAdmitMs: ms(2000, 0),
      /** From the start of an MCP server to its answer to its opening. */
      mcpStartMs: ms(60_000),
      /** Silence after which an MCP server is opened in the other way too. */
      mcpProbeMs: ms(3000),
      /** How long an MCP server that asks for its roots waits for people. */
      mcpRootsMs: ms(20_000, 0),
      /** Silence of an MCP server about a call. 0: for ever. */
      mcpCallMs: ms(0, 0),
      /** The longest pause between two starts of an MCP server. */
      mcpBackoffMs: ms(30_000),
    },
    { error: 'an object of time-outs' },
  )
  .prefault({});
