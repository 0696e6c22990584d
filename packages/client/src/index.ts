export type {
  AgentCheck,
  AgentDetails,
  AgentInfo,
  AgentVersion,
  AgentVersions,
  AlarmNotice,
  AlarmPage,
  AttachedClient,
  AuditCheckpoint,
  AuditEntry,
  AuditPage,
  AuditProblem,
  AuditQuery,
  AuditVerdict,
  BackendReport,
  BegunTurn,
  BoundaryInfo,
  BoundaryPreview,
  ChangedBoundary,
  ChangedMetadata,
  ClaimedClient,
  ClientName,
  CreatedSession,
  DecidedServers,
  DirectoryList,
  EventPage,
  ForeseenOutcome,
  GovernedServerDetails,
  GovernedServerInfo,
  GrantInfo,
  Health,
  InstallableAgent,
  JsonObject,
  McpServerReport,
  NewBoundary,
  NewFork,
  NewGrant,
  NewSession,
  NewTurn,
  PathCheckInfo,
  PoliciesInfo,
  PolicyCheckInfo,
  PolicyFile,
  PolicyInfo,
  PreviewedEnforcement,
  PreviewedRoot,
  PreviewedServer,
  PromptAttachment,
  Question,
  QuestionAnswer,
  QuestionOption,
  QuestionResult,
  QueuedPrompt,
  ReplyMapping,
  RequestAnswer,
  RequestedRootInfo,
  RequestInfo,
  RequestKind,
  RequestState,
  ReviewPackage,
  ReviewParams,
  ReviewResult,
  ReviewScope,
  ReviewServer,
  ReviewTools,
  ReviewWish,
  RootRisk,
  RootStandingInfo,
  RootWish,
  SandboxReport,
  ServerApproval,
  ServerApprovalInfo,
  ServerChange,
  ServerDenial,
  ServerList,
  ServerOutcomeInfo,
  SessionFailure,
  SessionInfo,
  SessionPage,
  SessionState,
  TurnOutcome,
  WireEvent,
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
export type { AgentCalls } from './agent-calls.ts';
export type { Role } from './attached-sessions.ts';
export type { AuditCalls, AuditExportQuery, AuditListQuery } from './audit-calls.ts';
export type { AlarmQuery, BoundaryCalls, GrantCalls, GrantQuery, WorkspaceCalls } from './boundary-calls.ts';
export { CallError, type CallErrorParts, errorOfResponse, errorOfRpc } from './call-error.ts';
export { connectReeve, type Reeve, type ReeveOptions } from './connect-reeve.ts';
export type { FollowChangesOptions } from './follow-changes.ts';
export type { FollowOptions } from './follow-events.ts';
export { type AgentRequest, LEAVE_UNANSWERED, type RequestHandler } from './incoming-requests.ts';
export type { InstalledAgent, InstallOptions, InstallProgress } from './install-agent.ts';
export type { SessionsQuery } from './live/live-sessions.ts';
export type { LiveState, LiveValue } from './live/live-value.ts';
export type { BoundaryView, InboxView, SessionsView, SessionView } from './live/live-views.ts';
export { type LiveReeve, openLive } from './live/open-live.ts';
export type { PermissionOption } from './permission-option.ts';
export type { RequestCalls } from './request-calls.ts';
export type { PolicyCalls, ServerCalls } from './server-calls.ts';
export type { EventPageQuery, SessionCalls, SessionListQuery } from './session-calls.ts';
export { silenceOf } from './silence.ts';
export { diffsOf, textOf } from './timeline/content.ts';
export { hasSeq, indexOfSeq, Timeline, timelineOf } from './timeline/timeline.ts';
export type {
  AgentMessageItem,
  ContentBlock,
  FileDiff,
  ModeItem,
  NoteItem,
  PlanItem,
  RequestItem,
  RequestOutcome,
  SeqRange,
  TerminalItem,
  ThoughtItem,
  TimelineItem,
  TimelineView,
  ToolContent,
  ToolItem,
  TurnEndItem,
  UsageItem,
  UserMessageItem,
} from './timeline/timeline-item.ts';
export { type SilenceWatch, type WatchOptions, watchSilence } from './watch-silence.ts';
