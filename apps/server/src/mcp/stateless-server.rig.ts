import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/*
 * A server of MCP 2026-07-28 on the official SDK that a test starts as a process. Without the argument `both` it refuses older agents.
 * Its tools: `echo`, `roots` (asks for roots), `confirm` (asks the user), `mixed` (both at once), `sample`, `stubborn` (asks for roots
 * for ever), `state` (asks with a state only), `grow` (gets one more tool), `envelope` (what it was told of the client).
 */
serveStdio(
  () => {
    const server = new McpServer(
      { name: 'stateless', version: '2.0.0' },
      { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
    );
    const text = (of: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(of) }] });
    const question = inputRequired.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
    const state = 'a state, "quoted" & é';

    server.registerTool('echo', { annotations: { readOnlyHint: true } }, () => text('echo'));
    server.registerTool('roots', {}, ({ mcpReq }) => {
      const roots = mcpReq.inputResponses?.r;
      if (roots === undefined)
        return inputRequired({ inputRequests: { r: inputRequired.listRoots() }, requestState: state });
      return text({ roots, state: mcpReq.requestState() });
    });
    server.registerTool('confirm', {}, ({ mcpReq }) => {
      const answer = mcpReq.inputResponses?.c;
      return answer === undefined ? inputRequired({ inputRequests: { c: question } }) : text(answer);
    });
    server.registerTool('mixed', {}, ({ mcpReq }) => {
      const { c, r } = mcpReq.inputResponses ?? {};
      if (c !== undefined && r !== undefined) return text({ c, r, state: mcpReq.requestState() });
      return inputRequired({ inputRequests: { c: question, r: inputRequired.listRoots() }, requestState: state });
    });
    server.registerTool('sample', {}, ({ mcpReq }) => {
      const answer = mcpReq.inputResponses?.s;
      if (answer !== undefined) return text(answer);
      return inputRequired({ inputRequests: { s: inputRequired.createMessage({ messages: [], maxTokens: 1 }) } });
    });
    server.registerTool('stubborn', {}, () => inputRequired({ inputRequests: { r: inputRequired.listRoots() } }));
    server.registerTool('state', {}, ({ mcpReq }) => {
      const given = mcpReq.requestState();
      return given === undefined ? inputRequired({ requestState: state }) : text(given);
    });
    server.registerTool('grow', {}, () => {
      server.registerTool(`grown`, {}, () => text('grown'));
      return text('done');
    });
    server.registerTool('envelope', {}, ({ mcpReq }) => text(mcpReq));
    return server;
  },
  { legacy: process.argv.includes('both') ? 'serve' : 'reject' },
);
