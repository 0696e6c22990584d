import { connectReeve } from '@reeve/client';

const [url = 'http://127.0.0.1:7433', token] = process.argv.slice(2);
const reeve = connectReeve({ url, token });

const { session } = await reeve.sessions.create({ cwd: process.cwd(), metadata: { title: 'Fix the build' } });
const turn = await reeve.sessions.prompt(session.sessionId, { prompt: 'Why does the build fail?' });
console.log(turn.text, turn.stopReason);
await reeve.sessions.close(session.sessionId);
