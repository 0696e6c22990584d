export {
  checkAbsolutePath,
  MAX_PATH_BYTES,
  type PathCheck,
  type PathFault,
  type PathRefusal,
} from './absolute-path.ts';
export type { Boundary } from './boundary.ts';
export * from './boundary-change.ts';
export {
  type CallPath,
  type CallPaths,
  callPaths,
  MAX_CALL_PATHS,
  MAX_CALL_SEGMENTS,
  MAX_CALL_VALUES,
  type PathEvidence,
} from './call-paths.ts';
export { isOptionalMeta } from './call-places.ts';
export type { Approval } from './cedar-request.ts';
export * from './containment.ts';
export { DEFAULT_POLICY } from './default-policy.ts';
export * from './explain-decision.ts';
export { DISTINCT_NAMES, type FileNames, UNKNOWN_NAMES } from './file-names.ts';
export * from './file-uri.ts';
export { compareNetwork, intersectNetwork, type NetworkChange, uniteNetwork } from './network-rule.ts';
export * from './policy-facts.ts';
export { POLICY_SCHEMA } from './policy-schema.ts';
export * from './policy-set.ts';
export * from './projections.ts';
export * from './read-policy-facts.ts';
export * from './replay-decisions.ts';
export { assessRisk, type PathFacts, type Risk, type RiskAssessment, type RiskClass } from './risk.ts';
export {
  type Access,
  type AccessChange,
  changedAccess,
  intersectRoots,
  normalRoots,
  type Roots,
  uniteRoots,
} from './root-algebra.ts';
