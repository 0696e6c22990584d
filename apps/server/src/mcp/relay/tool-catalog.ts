import { isObject } from '@reeve/protocol';
import type { CallSummary } from '../../boundary/server-guard.ts';
import type { ToolCounts } from '../server-status.ts';

export type ToolClaims = CallSummary['claims'];

export interface KnownTool {
  readonly claims: ToolClaims;
  readonly idempotent: boolean;
  readonly inputSchema: unknown;
}

/** Of a tool without a word: MCP, tool annotations. */
const UNSAID: ToolClaims = { readOnly: false, destructive: true, openWorld: true };
const MAX_TOOLS = 10_000;

/** What a server said of its tools in the last lists that passed. */
export class ToolCatalog {
  #tools = new Map<string, KnownTool>();
  #known = false;

  /** @param first whether the page begins a list, so that what was known before is void */
  learn(result: unknown, first: boolean): void {
    if (!isObject(result) || !Array.isArray(result.tools)) return;
    if (first) this.#tools = new Map();
    this.#known = true;
    for (const tool of result.tools) {
      if (!isObject(tool) || typeof tool.name !== 'string' || this.#tools.size >= MAX_TOOLS) continue;
      this.#tools.set(tool.name, readTool(tool.annotations, tool.inputSchema));
    }
  }

  tool(params: unknown): KnownTool | undefined {
    return isObject(params) && typeof params.name === 'string' ? this.#tools.get(params.name) : undefined;
  }

  claims(params: unknown): ToolClaims {
    return this.tool(params)?.claims ?? UNSAID;
  }

  all(): readonly ToolClaims[] {
    return [...this.#tools.values()].map(({ claims }) => claims);
  }

  /** Undefined until a list has passed. */
  counts(): ToolCounts | undefined {
    if (!this.#known) return undefined;
    const all = this.all();
    return {
      total: all.length,
      readOnly: all.filter(({ readOnly }) => readOnly).length,
      destructive: all.filter(({ destructive }) => destructive).length,
      openWorld: all.filter(({ openWorld }) => openWorld).length,
    };
  }
}

function readTool(annotations: unknown, inputSchema: unknown): KnownTool {
  const said = isObject(annotations) ? annotations : {};
  const readOnly = said.readOnlyHint === true;
  return {
    claims: {
      readOnly,
      destructive: !readOnly && said.destructiveHint !== false,
      openWorld: said.openWorldHint !== false,
    },
    idempotent: readOnly || said.idempotentHint === true,
    inputSchema,
  };
}

/**
 * A `tools/list` result without what the server claims of its tools: agents skip their own questions for the sake of such claims.
 * A title stays; it is only shown.
 */
export function withoutClaims(result: unknown): unknown {
  if (!isObject(result) || !Array.isArray(result.tools)) return result;
  const tools = result.tools.map((tool: unknown) => {
    if (!isObject(tool) || !isObject(tool.annotations)) return tool;
    const { annotations, ...rest } = tool;
    return typeof annotations.title === 'string' ? { ...rest, annotations: { title: annotations.title } } : rest;
  });
  return { ...result, tools };
}
