import { type ChangedBoundary, setupErrorData } from '@reeve/protocol';
import type { ChangeResult } from '../boundary/session-guard.ts';
import type { Call } from './api-route.ts';
import { problem, problemResponse } from './problem.ts';

/** What became of a change, as an answer of the control API. */
export function tellChange(call: Call, result: ChangeResult, status: 200 | 201 = 200): Response {
  switch (result.kind) {
    case 'changed':
    case 'unchanged': {
      const { kind, boundary, servers } = result;
      const { revision, roots, network } = boundary;
      const changed: ChangedBoundary = {
        kind,
        revision,
        roots,
        ...(network === undefined ? {} : { network }),
        servers,
      };
      return call.json(changed, status);
    }
    default:
      return tellRefusal(result);
  }
}

export function tellRefusal(result: Exclude<ChangeResult, { kind: 'changed' | 'unchanged' }>): Response {
  switch (result.kind) {
    case 'invalid': {
      const data = setupErrorData(result.issues);
      const [first] = result.issues;
      const next = first ? `${first.fix.charAt(0).toUpperCase()}${first.fix.slice(1)}.` : undefined;
      const detail = String(data.summary);
      return problemResponse(
        problem('invalid_params', { detail, data: { ...data }, ...(next === undefined ? {} : { next }) }),
      );
    }
    case 'conflict': {
      const detail = `the boundary is at revision ${result.revision} by now: somebody changed it meanwhile`;
      const next = 'Read the boundary again, and send the change with its revision.';
      return problemResponse(problem('conflict', { detail, next, data: { revision: result.revision } }));
    }
    case 'refused':
      return problemResponse(problem('forbidden', { detail: result.reason, next: result.next }));
  }
}
