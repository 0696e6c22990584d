export type {
  AgentCheck,
  AgentDetails,
  AgentInfo,
  AgentVersion,
  AgentVersions,
  AlarmPage,
  AuditCheckpoint,
  AuditEntry,
  AuditPage,
  AuditProblem,
  AuditQuery,
  AuditVerdict,
  BackendReport,
  BegunTurn,
  BoundaryInfo,
  ChangedBoundary,
  ChangedMetadata,
  CreatedSession,
  EventPage,
  GovernedServerDetails,
  GovernedServerInfo,
  GrantInfo,
  Health,
  McpServerReport,
  NewBoundary,
  NewGrant,
  NewSession,
  NewTurn,
  PathCheckInfo,
  PoliciesInfo,
  PolicyCheckInfo,
  PolicyFileInfo,
  PolicyInfo,
  PromptAttachment,
  Question,
  QuestionAnswer,
  QuestionOption,
  QuestionResult,
  ReplyMapping,
  RequestAnswer,
  RequestedRootInfo,
  RequestInfo,
  RequestState,
  ReviewParams,
  ReviewResult,
  ReviewScope,
  RootStandingInfo,
  RootWish,
  SandboxReport,
  ServerApproval,
  ServerApprovalInfo,
  ServerList,
  ServerOutcomeInfo,
  SessionInfo,
  SessionPage,
  SessionState,
  TurnOutcome,
  WorkspaceInfo,
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
export type { AlarmQuery, BoundaryCalls, GrantCalls, GrantQuery, WorkspaceCalls } from './boundary-calls.ts';
export { CallError, type CallErrorParts, errorOfResponse, errorOfRpc } from './call-error.ts';
export { connectReeve, type Reeve, type ReeveOptions } from './connect-reeve.ts';
export type { FollowOptions } from './follow-events.ts';
export { type AgentRequest, LEAVE_UNANSWERED, type RequestHandler } from './incoming-requests.ts';
export type { InstalledAgent, InstallOptions, InstallProgress } from './install-agent.ts';
export type { PermissionOption } from './permission-option.ts';
export type { PolicyCalls, ServerCalls } from './server-calls.ts';
