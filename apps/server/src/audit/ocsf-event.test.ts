import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { answered, startAuditRig } from './audit-log.rig.ts';
import { numbered } from './audit-record.ts';
import { ocsfLines } from './export-lines.ts';
import { ocsfEvent } from './ocsf-event.ts';
import { newTraceId } from './trace-id.ts';
import { underTrace } from './trace-scope.ts';

it('gives each record as an event of OCSF with its class, its decision and the hash that the log has of it', async () => {
  await using rig = await startAuditRig();
  const trace = newTraceId();
  await underTrace(trace, () => rig.log.record(answered('s1', ['/home/ada/planted'])));
  await rig.log.record({
    kind: 'egress.denied',
    session: 's1',
    host: 'example.org',
    port: 443,
    reason: 'not-declared',
  });
  await rig.log.record({ kind: 'agent.exited', session: 's1', epoch: 1, exitCode: 3, signal: null });
  const events = (await Array.fromAsync(ocsfLines(rig.log))).map((line) => JSON.parse(line));
  expect(events.map(({ class_uid, type_uid }) => [class_uid, type_uid])).toEqual([
    [6002, 600203],
    [6003, 600399],
    [4001, 400105],
    [1007, 100702],
  ]);
  expect(events[1]).toMatchObject({
    action: 'Allowed',
    metadata: {
      version: '1.9.0',
      sequence: 1,
      event_code: 'request.answered',
      profiles: ['security_control', 'record_integrity', 'trace'],
      correlation_uid: 'r-1',
    },
    trace: { uid: trace },
    actor: { app_name: 'alice 1.0', session: { uid: 's1' } },
    attestation_list: [{ chain_uid: rig.log.origin, authority_uid: rig.log.publicKey }],
  });
  expect(events[2]).toMatchObject({ action: 'Denied', dst_endpoint: { hostname: 'example.org', port: 443 } });
  for (const { raw_data, attestation_list } of events) {
    expect(attestation_list[0].fingerprint.value).toBe(hash('sha256', `\0${raw_data}`));
  }
  expect(JSON.stringify(events)).not.toMatch(/planted/);
});

it('gives a record from before there were traces without the profile of traces', () => {
  const old = numbered({ rest: { v: 1, at: 1, kind: 'server.stopped', facts: {} } }, 0);
  const event = ocsfEvent(old, { origin: 'o', key: 'k' });
  expect(event.metadata.profiles).toEqual(['security_control', 'record_integrity']);
  expect(event).not.toHaveProperty('trace');
});
