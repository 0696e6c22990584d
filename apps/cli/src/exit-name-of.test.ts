import { CallError, errorOfResponse, errorOfRpc } from '@reeve/client';
import { CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { CliError, EXIT } from './exit-codes.ts';
import { exitNameOf } from './exit-name-of.ts';

it.each([
  [new CliError('timeout', ''), 3],
  [new CommanderError(1, 'commander.unknownOption', ''), 2],
  [new CommanderError(0, 'commander.helpDisplayed', ''), 0],
  [errorOfRpc({ code: -32002, message: 'gone', data: { sessionId: 's' } }), 4],
  [errorOfRpc({ code: -32002, message: 'gone', data: { uri: 'file:///x' } }), 1],
  [errorOfResponse(404, '{"name":"not_found","data":{"sessionId":"s"}}'), 4],
  [errorOfResponse(401, ''), 6],
  [errorOfRpc({ code: -32000, message: 'log in' }), 6],
  [new CallError({ code: 'unreachable', message: '' }), 7],
  [new CallError({ code: 'invalid_params', message: '' }), 1],
  [new Error('bug'), 1],
  [Object.assign(new Error('wrong policies'), { code: 'policies_invalid' }), 2],
])('%s ends with %i', (error, code) => {
  expect(EXIT[exitNameOf(error)]).toBe(code);
});
