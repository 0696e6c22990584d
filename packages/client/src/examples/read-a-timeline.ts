import { connectReeve, diffsOf, textOf, timelineOf } from '@reeve/client';

const [url = 'http://127.0.0.1:7433', token] = process.argv.slice(2);
const reeve = connectReeve({ url, token });

const { sessions } = await reeve.sessions.list({ limit: 1 });
for (const { sessionId } of sessions) {
  // The last 1000 events; older pages end before the first: { before: firstSeq }.
  const { events } = await reeve.sessions.events(sessionId, { before: Number.MAX_SAFE_INTEGER });
  for (const item of timelineOf(events).items) {
    if (item.kind === 'user' || item.kind === 'agent') console.log(`${item.kind}: ${textOf(item.blocks)}`);
    else if (item.kind === 'tool') console.log(`${item.title}: ${item.status}`, diffsOf(item));
    else console.log(item.kind, item.ranges);
  }
}
