export type { ChildEnd } from './child-end.ts';
export { connectWebSocket, type WebSocketPeerOptions } from './connect-web-socket.ts';
export { type FloodSpec, floodIndex, floodText } from './fake-agent/flood.ts';
export { type PacedMark, type PacedSpec, pacedText, parsePacedText, wallClockMs } from './fake-agent/paced.ts';
export { type PermissionChoice, type Step, script } from './fake-agent/script.ts';
export { type AgentCommand, fakeAgentCommand } from './fake-agent-command.ts';
export {
  JsonRpcFailure,
  type JsonRpcId,
  type JsonRpcMessage,
  JsonRpcPeer,
  type LogEntry,
  type NotificationHandler,
  type PeerOptions,
  type RequestHandler,
  type WaitOptions,
} from './json-rpc-peer.ts';
export { lineTransport, type MessageTransport, webSocketTransport } from './message-transport.ts';
export { type ModelEndpoint, startModelEndpoint } from './model-endpoint.ts';
export {
  answerOf,
  callMcpToolThenSay,
  callThenSay,
  DEFAULT_TEXT,
  failModel,
  type ModelAnswer,
  type ModelRequest,
  type ModelRule,
  type NewFile,
  runCommandThenSay,
  saySlowly,
  sayText,
  writeFileThenSay,
} from './model-script.ts';
export { fakeAgentPackage, type NpmPackage, type NpmRegistry, startNpmRegistry } from './npm-registry.ts';
export {
  commandCall,
  findTool,
  mcpToolCall,
  type OfferedTool,
  type ToolCall,
  type ToolPurpose,
  writeFileCall,
} from './offered-tool.ts';
export { type RecordedLine, type RecordedMessage, readRecording } from './recorded-agent/recording.ts';
export { recordedAgentCommand } from './recorded-agent-command.ts';
export { type SpawnedReeve, type StartReeveOptions, startReeve } from './spawn-reeve.ts';
export { splitLines } from './split-lines.ts';
export { type StartAgentOptions, type StartedAgent, startAgent } from './start-agent.ts';
export { printedBy, type TestUser, testUsers } from './test-users.ts';
