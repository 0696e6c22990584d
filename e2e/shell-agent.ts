/** An ACP agent that runs each prompt as a script in its own sandbox, and says what that printed. */
export const SHELL_AGENT = `
const { execFile } = require('node:child_process');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => send({ id, result });
  if (method === 'initialize') return answer({ protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities: { additionalDirectories: {} } } });
  if (method === 'session/new') return answer({ sessionId: 'inner-' + process.pid });
  if (method === 'session/load') return answer({});
  if (method !== 'session/prompt') return id === undefined ? undefined : answer({});
  const text = params.prompt.map((block) => block.text).join('');
  execFile('/bin/sh', ['-c', text], (_error, stdout, stderr) => {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: stdout + stderr } };
    send({ method: 'session/update', params: { sessionId: params.sessionId, update } });
    answer({ stopReason: 'end_turn' });
  });
});`;
