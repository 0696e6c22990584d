import { z } from 'zod';
import { bytes, count, MiB, whole } from './values.ts';

/** How much of everything there may be. */
export const limits = z
  .strictObject(
    {
      /** Longest line of an agent's stdout or of a stdio client. */
      maxLineBytes: bytes(32 * MiB),
      /** Longest body of an HTTP request. */
      maxBodyBytes: bytes(32 * MiB),
      /** Longest WebSocket message of a client. */
      maxFrameBytes: bytes(32 * MiB),
      /** What may wait in memory for one connection that reads slowly. */
      connectionQueueBytes: bytes(8 * MiB),
      /** What one agent may have written beyond what is on disk before its stdout is paused. */
      agentBacklogBytes: bytes(4 * MiB),
      /** What one agent may leave unread of its stdin before prompts are refused. */
      agentInputBytes: bytes(64 * MiB),
      /** What a WebSocket client may leave unread before it is not listened to. */
      maxUnreadBytes: bytes(16 * MiB),
      /** Inline content of one block of a prompt. */
      maxAttachmentBytes: bytes(16 * MiB, 0),
      /** Messages of one client that may wait for the answer to its `initialize`. */
      maxEarlyMessages: count(256),
      /** Session streams that one client of streamable HTTP has open. */
      maxSessionStreams: count(1024),
      maxConnections: count(1000),
      /** Sessions with an agent process. */
      maxSessionsLive: count(256),
      /** Prompts of one session that wait for its turn to end. */
      maxQueuedPrompts: count(32),
      /** How much of an agent's stderr is kept. */
      stderrTailBytes: bytes(64 * 1024),
      maxSubscribersPerSession: count(256),
      /** Requests of one session that wait for a person. */
      maxPendingRequests: count(256),
      /** How often a client whose answer was refused is asked the same again. */
      maxReoffers: whole('', 3, 0, 1000),
      /** Largest file that Reeve itself reads or writes for an agent. */
      maxFileBytes: bytes(10 * MiB),
      /** Terminals of one session that Reeve itself runs. */
      maxTerminals: count(32),
      /** Output that is kept of each, also where the agent asks for more. */
      terminalOutputBytes: bytes(MiB),
      /** Output of each that the log of its session has. */
      terminalLogBytes: bytes(256 * 1024, 0),
      /** JSON text of the metadata of one session. */
      maxMetadataBytes: bytes(64 * 1024),
      /** Directories in the boundary of one session. */
      maxRoots: count(64),
      /** Entries below the roots of one session that are looked at for files with a second name. */
      maxLinkScan: count(10_000),
      /** Directories below the roots of one process that are looked at for repositories when it is started. */
      maxGitDirectories: count(2000),
      /** Names in them that are read. */
      maxGitNames: count(20_000),
      /** Git directories, and files that name one, that are protected in them. */
      maxGitPlaces: count(64),
      /** Directories that hold roots of one session and are watched. */
      maxWatchedRoots: whole('', 256, 0, 100_000),
      /** Largest file of a workspace that servers are read from. */
      serverFileBytes: bytes(MiB),
      /** Servers that the files of one directory propose. */
      maxWorkspaceServers: count(32),
      /** Directories of one directory that are listed to choose from. */
      maxListedDirectories: count(1000),
      /** Alarms that wait to be delivered to the webhook. */
      maxQueuedAlarms: count(1000),
      /** Longest message of an MCP server, and of an agent to one. */
      mcpMessageBytes: bytes(32 * MiB),
      /** What an MCP server, or an agent towards one, may leave unread. */
      mcpQueueBytes: bytes(4 * MiB),
      /** Requests to one MCP server that are not answered. */
      mcpCalls: count(256),
      /** Connections to the endpoint of one MCP server. */
      mcpConnections: count(32),
      /** How often an MCP server may ask for input before it answers one call. */
      mcpInputRounds: count(16, 1000),
      /** How much of an MCP server's stderr is kept. */
      mcpStderrTailBytes: bytes(64 * 1024),
      /** Starts of an MCP server in a row that end soon, beyond the first. */
      mcpRestarts: whole('', 5, 0, 1000),
    },
    { error: 'an object of limits' },
  )
  .prefault({});
