import { createHash } from 'node:crypto';
import { isOptionalMeta } from '@reeve/policy';
import { isObject } from '@reeve/protocol';
import { canonicalJson } from '../../audit/canonical-json.ts';

/** Of each try by their meaning (W3C Trace Context). */
const PER_TRY: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);
/** Questions that are remembered. One that is forgotten has its approved call passed on without these members. */
const MAX_QUESTIONS = 256;

/**
 * With which members of `_meta` calls were put to a person. They are no part of what names a call, since agents put an id of each try
 * there (Claude Code, Codex) and an approval would never be found again; instead an approved call keeps only those that it was asked
 * about with.
 */
export class AskedMeta {
  readonly #asked = new Map<string, ReadonlyMap<string, string | undefined>>();

  /** A question begins, or is asked again: what it was asked with first counts. */
  ask(key: string, params: unknown): void {
    if (this.#asked.has(key)) return;
    const oldest = this.#asked.size < MAX_QUESTIONS ? undefined : this.#asked.keys().next().value;
    if (oldest !== undefined) this.#asked.delete(oldest);
    this.#asked.set(key, new Map(digests(params)));
  }

  /** The question is over. @returns the members that this call has, and that were not there or said another thing when it was asked */
  settle(key: string, params: unknown): readonly string[] {
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    return [...digests(params)].flatMap(([member, digest]) =>
      digest !== undefined && asked?.get(member) === digest ? [] : [member],
    );
  }
}

/** The members that a call can do without; no digest where there is no canonical JSON. */
function* digests(params: unknown): Generator<readonly [member: string, digest: string | undefined]> {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  for (const [member, value] of Object.entries(meta)) {
    if (!isOptionalMeta(member) || PER_TRY.has(member)) continue;
    yield [member, digestOf(value)];
  }
}

function digestOf(value: unknown): string | undefined {
  try {
    return createHash('sha256').update(canonicalJson(value)).digest('base64url');
  } catch {
    return undefined;
  }
}
