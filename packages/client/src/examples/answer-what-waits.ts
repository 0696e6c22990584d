import { CallError, connectReeve } from '@reeve/client';

const [url = 'http://127.0.0.1:7433', token] = process.argv.slice(2);
const reeve = connectReeve({ url, token });

for (const request of await reeve.requests.list()) {
  try {
    const answered = await reeve.requests.answer(request.id, { reply: 'once' });
    console.log(answered.id, answered.state.kind);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    // already_resolved: somebody else was faster. not_offered: that is no answer to what was asked.
    console.log(error.code, error.message, error.next);
  }
}
