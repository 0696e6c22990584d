export type {
  AgentCheck,
  AgentDetails,
  AgentInfo,
  AgentVersion,
  AgentVersions,
  AuditCheckpoint,
  AuditEntry,
  AuditPage,
  AuditProblem,
  AuditQuery,
  AuditVerdict,
  BackendReport,
  BegunTurn,
  ChangedMetadata,
  CreatedSession,
  EventPage,
  Health,
  NewSession,
  NewTurn,
  PromptAttachment,
  Question,
  QuestionAnswer,
  QuestionOption,
  QuestionResult,
  ReplyMapping,
  RequestAnswer,
  RequestInfo,
  RequestState,
  SandboxReport,
  SessionInfo,
  SessionPage,
  SessionState,
  TurnOutcome,
} from '@reeve/protocol';
export type {
  AcpClient,
  AttachOptions,
  AttachParams,
  NewSessionParams,
  PromptOptions,
  PromptResult,
} from './acp-client.ts';
export type { AcpNotification, AcpOptions, ConnectionState } from './acp-options.ts';
export type { Role } from './attached-sessions.ts';
export type { AuditCalls, AuditExportQuery, AuditListQuery } from './audit-calls.ts';
export { CallError, type CallErrorParts, errorOfResponse, errorOfRpc } from './call-error.ts';
export { connectReeve, type Reeve, type ReeveOptions } from './connect-reeve.ts';
export type { FollowOptions } from './follow-events.ts';
export { type AgentRequest, LEAVE_UNANSWERED, type RequestHandler } from './incoming-requests.ts';
export type { InstalledAgent, InstallOptions, InstallProgress } from './install-agent.ts';
export type { PermissionOption } from './permission-option.ts';
