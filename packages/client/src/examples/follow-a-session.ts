import { connectReeve } from '@reeve/client';

const [url = 'http://127.0.0.1:7433', token] = process.argv.slice(2);
const reeve = connectReeve({ url, token });

const { session } = await reeve.sessions.create({ cwd: process.cwd() });
const { after } = await reeve.sessions.beginPrompt(session.sessionId, { prompt: 'Say hello' });
for await (const event of reeve.followEvents(session.sessionId, { after, signal: AbortSignal.timeout(60_000) })) {
  console.log(event.seq, event.source, event.kind);
  if (event.kind === 'turn_end') break;
}
