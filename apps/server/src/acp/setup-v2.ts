import { isObject, type JsonObject, ReeveError } from '@reeve/protocol';

/**
 * The params of `session/new` and `session/resume` of ACP v2 by the rules of v1, for the check that both share: there every member of a
 * server stands, in v2 empty lists and the list of servers itself may be left out.
 */
export function withEmptyLists(params: JsonObject): JsonObject {
  const { mcpServers = [] } = params;
  if (!Array.isArray(mcpServers)) return params;
  return {
    ...params,
    mcpServers: mcpServers.map((server: unknown) => {
      if (!isObject(server)) return server;
      return server.type === 'http' ? { headers: [], ...server } : { args: [], env: [], ...server };
    }),
  };
}

/** Whether `session/resume` asks for the history (ACP v2, `ReplayFrom`); throws `invalid_params` for any other place than the start. */
export function replaysFromStart({ replayFrom }: JsonObject): boolean {
  if (replayFrom === undefined || replayFrom === null) return false;
  if (isObject(replayFrom) && replayFrom.type === 'start') return true;
  throw new ReeveError('invalid_params', {
    message: 'replayFrom: {"type": "start"} or nothing; to go on after a seq use _meta["sandboxagent.dev"].after',
    data: { replayFrom },
  });
}
