export {
  checkAbsolutePath,
  MAX_PATH_BYTES,
  type PathCheck,
  type PathFault,
  type PathRefusal,
} from './absolute-path.ts';
export type { Boundary, BoundaryAccess, BoundaryNetwork, BoundaryRoot } from './boundary.ts';
export * from './boundary-change.ts';
export * from './containment.ts';
export { DISTINCT_NAMES, type FileNames, UNKNOWN_NAMES } from './file-names.ts';
export * from './file-uri.ts';
export { compareNetwork, intersectNetwork, type NetworkChange, uniteNetwork } from './network-rule.ts';
export * from './projections.ts';
export {
  type Access,
  type AccessChange,
  changedAccess,
  intersectRoots,
  normalRoots,
  type Roots,
  uniteRoots,
} from './root-algebra.ts';
