import { connectReeve, LEAVE_UNANSWERED, type PermissionOption } from '@reeve/client';

const [url = 'http://127.0.0.1:7433', token] = process.argv.slice(2);
await using acp = await connectReeve({ url, token }).openAcp({
  onUpdate: ({ seq, params }) => console.log(seq, JSON.stringify(params.update)),
  onState: (state) => console.log(state.kind),
  onRequest({ method, params }) {
    // What is left unanswered goes on waiting in the inbox, for people.
    if (method !== 'session/request_permission') return LEAVE_UNANSWERED;
    const once = (params.options as PermissionOption[]).find(({ kind }) => kind === 'allow_once');
    return once ? { outcome: { outcome: 'selected', optionId: once.optionId } } : LEAVE_UNANSWERED;
  },
});
const { sessionId } = await acp.newSession({ cwd: process.cwd() });
const { stopReason } = await acp.prompt(sessionId, 'Say hello', { signal: AbortSignal.timeout(60_000) });
console.log(stopReason);
