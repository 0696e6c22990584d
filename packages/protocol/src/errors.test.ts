import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorName, errorNameOf, isReeveError, ReeveError, rpcError } from './errors.ts';

const rows = Object.entries(ERRORS);
const STANDARD = new Set([-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, -32022]);

describe('the table of errors', () => {
  it('gives every error a number of its own', () => {
    expect(new Set(rows.map(([, row]) => row.code)).size).toBe(rows.length);
    for (const [name, row] of rows) expect(errorNameOf(row.code)).toBe(name);
    expect(errorNameOf(-32099)).toBeUndefined();
  });

  it('keeps our numbers out of what JSON-RPC and ACP reserve', () => {
    for (const [, { code }] of rows.filter(([, row]) => !STANDARD.has(row.code))) {
      expect(Number.isInteger(code)).toBe(true);
      expect(code >= -32768 && code <= -32000).toBe(false);
      expect(code >= -32899 && code <= -32800).toBe(false);
      expect(code).toBeGreaterThan(47_000);
    }
  });

  it('has every standard number', () => {
    for (const code of STANDARD) expect(errorNameOf(code)).toBeDefined();
  });

  it.each(rows)('says for %s what happened, what to do next, and an HTTP status', (_, row) => {
    expect(row.message.length).toBeGreaterThan(5);
    expect(row.next).toMatch(/^[A-Z].{10,}\.$/);
    expect(row.httpStatus).toBeGreaterThanOrEqual(400);
    expect(row.httpStatus).toBeLessThan(600);
  });
});

describe('ReeveError', () => {
  it('is told from other errors and carries its row', () => {
    const cause = new Error('spawn ENOENT');
    const error = new ReeveError('agent_start_failed', {
      message: 'No such command: x',
      data: { exitCode: 127 },
      cause,
    });
    expect(isReeveError(error)).toBe(true);
    expect(isReeveError(cause)).toBe(false);
    expect(error).toMatchObject({ name: 'agent_start_failed', code: 47001, httpStatus: 502, cause });
    expect(error.toRpc()).toEqual({
      code: 47001,
      message: 'No such command: x',
      data: { name: 'agent_start_failed', next: ERRORS.agent_start_failed.next, exitCode: 127 },
    });
  });

  it('says a better next step than the table where whoever raised it knows one', () => {
    const next = 'Install bubblewrap, and start the server again.';
    const error = new ReeveError('agent_start_failed', { next });
    expect([error.next, new ReeveError('agent_start_failed').next]).toEqual([next, undefined]);
    expect(error.toRpc().data).toEqual({ name: 'agent_start_failed', next });
  });

  it('leaves the data of standard errors as given', () => {
    expect(rpcError('method_not_found', { data: { method: 'x/y' } })).toEqual({
      code: -32601,
      message: 'Method not found',
      data: { method: 'x/y' },
    });
    expect(new ReeveError('parse_error').toRpc()).toEqual({ code: -32700, message: ERRORS.parse_error.message });
  });

  it('lets no error go out without a message', () => {
    for (const [name] of rows) expect(rpcError(name as ErrorName).message).not.toBe('');
  });
});
