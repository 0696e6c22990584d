import { AsyncLocalStorage } from 'node:async_hooks';
import { newTraceId, type TraceId, traceOf } from './trace-id.ts';

interface Scope {
  readonly trace: TraceId;
  /** A caller named it; else Reeve made it. */
  readonly named: boolean;
}

/** Does something in a scope. */
export type Enter = <Result>(act: () => Result) => Result;

/**
 * What is done now, and waited for, is done in one trace. Where something begins that is no consequence of whoever made its process,
 * socket or timer, a scope of its own is entered: a message of an agent, a request of a client, a clock that runs out.
 */
const scopes = new AsyncLocalStorage<Scope>();

/** Undefined outside of every scope. */
export function currentTrace(): TraceId | undefined {
  return scopes.getStore()?.trace;
}

/** The trace that whoever asked for what is done now has named; undefined where Reeve made it. */
export function namedTrace(): TraceId | undefined {
  const scope = scopes.getStore();
  return scope?.named ? scope.trace : undefined;
}

/** Does `act`, and whatever follows from it, in the trace. */
export function underTrace<Result>(trace: TraceId, act: () => Result): Result {
  return scopes.run({ trace, named: false }, act);
}

/** Does `act` for nobody: in a trace of its own. */
export function underOwnTrace<Result>(act: () => Result): Result {
  return underTrace(newTraceId(), act);
}

/** Does `act` for a caller, in the trace that its `traceparent` names; in one of its own where that is missing or malformed. */
export function underCaller<Result>(traceparent: unknown, act: () => Result): Result {
  return scopes.run(scopeOf(traceparent) ?? { trace: newTraceId(), named: false }, act);
}

/** The scope of now, to be entered later, by what belongs to it whoever calls it then; one of its own outside of every scope. */
export function presentScope(): Enter {
  const scope = scopes.getStore() ?? { trace: newTraceId(), named: false };
  return (act) => scopes.run(scope, act);
}

/** The scope of a message of a caller: of the trace that its `traceparent` names, else of what brought the message. */
export function scopeOfMessage(traceparent: unknown): Enter {
  const scope = scopeOf(traceparent);
  return scope === undefined ? presentScope() : (act) => scopes.run(scope, act);
}

function scopeOf(traceparent: unknown): Scope | undefined {
  const trace = traceOf(traceparent);
  return trace && { trace, named: true };
}
