/** The two names of a tool that Codex offers inside a namespace: one namespace for each MCP server. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

export interface FlatRequest {
  readonly body: string;
  /** By flat name. */
  readonly names: ReadonlyMap<string, NamespacedName>;
}

/**
 * Turns the tools of `type: "namespace"` in a Responses request into functions named `<namespace>__<name>`, since the
 * model behind this endpoint knows only functions. A body that is no JSON object passes as it is.
 */
export function flattenNamespaces(body: string): FlatRequest {
  const names = new Map<string, NamespacedName>();
  const request = parseObject(body);
  if (request === undefined || !Array.isArray(request.tools)) return { body, names };
  const tools = request.tools.flatMap((tool: unknown) => {
    if (!isObject(tool) || tool.type !== 'namespace' || !Array.isArray(tool.tools)) return [tool];
    const namespace = String(tool.name);
    return tool.tools.filter(isObject).map((inner) => {
      const name = String(inner.name);
      const flatName = `${namespace}__${name}`;
      names.set(flatName, { namespace, name });
      return { ...inner, name: flatName };
    });
  });
  return { body: JSON.stringify({ ...request, tools }), names };
}

/** Gives the function calls in one whole server-sent event their two names back: the agent looks them up so. */
export function restoreNamespaces(event: string, names: ReadonlyMap<string, NamespacedName>): string {
  return event.replace(/^data: (\{.*\})$/m, (line, json: string) => {
    const data = parseObject(json);
    if (data === undefined) return line;
    const response = isObject(data.response) ? data.response : undefined;
    const items = [data.item, ...(Array.isArray(response?.output) ? response.output : [])];
    for (const item of items) if (isObject(item)) Object.assign(item, names.get(String(item.name)));
    return `data: ${JSON.stringify(data)}`;
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
