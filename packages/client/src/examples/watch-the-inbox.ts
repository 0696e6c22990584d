import { connectReeve, openLive } from '@reeve/client';

const [url = 'http://127.0.0.1:7433', token] = process.argv.slice(2);
const inbox = openLive(connectReeve({ url, token })).inbox();

const stop = inbox.subscribe(() => {
  const { state, requests } = inbox.get();
  console.log(state.kind, requests.length);
  if (state.kind === 'live') stop();
});
