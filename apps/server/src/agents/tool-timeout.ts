/**
 * The time in milliseconds that an agent's environment tells it to give each call of a tool, whatever progress it hears of
 * (`MCP_TOOL_TIMEOUT`, of Claude); undefined without.
 */
export function toolTimeoutMs(env: Readonly<Record<string, string>>): number | undefined {
  const ms = Number.parseInt(env.MCP_TOOL_TIMEOUT ?? '', 10);
  return ms > 0 ? ms : undefined;
}
