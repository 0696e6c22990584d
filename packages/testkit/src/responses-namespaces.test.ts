import { expect, it } from 'vitest';
import { flattenNamespaces, restoreNamespaces } from './responses-namespaces.ts';

const namespaced = JSON.stringify({
  model: 'm',
  tools: [
    { type: 'function', name: 'shell' },
    { type: 'namespace', name: 'mcp__notes', tools: [{ type: 'function', name: 'read', parameters: {} }] },
  ],
});

it('offers the tools of a namespace as functions', () => {
  const { body, names } = flattenNamespaces(namespaced);
  expect(JSON.parse(body).tools).toEqual([
    { type: 'function', name: 'shell' },
    { type: 'function', name: 'mcp__notes__read', parameters: {} },
  ]);
  expect(names.get('mcp__notes__read')).toEqual({ namespace: 'mcp__notes', name: 'read' });
});

it('gives calls in an event both names back, and leaves other events as they are', () => {
  const { names } = flattenNamespaces(namespaced);
  const call = { type: 'function_call', name: 'mcp__notes__read', arguments: '{}' };
  const added = `event: x\ndata: ${JSON.stringify({ item: call })}\n\n`;
  expect(restoreNamespaces(added, names)).toContain('"name":"read","arguments":"{}","namespace":"mcp__notes"');
  const completed = `event: x\ndata: ${JSON.stringify({ response: { output: [call] } })}\n\n`;
  expect(restoreNamespaces(completed, names)).toContain('"namespace":"mcp__notes"');
  const text = 'event: x\ndata: {"delta":"mcp__notes__read"}\n\n';
  expect(restoreNamespaces(text, names)).toBe(text);
});

it.each(['', 'no json', '[]', '{"input":"hi"}'])('passes %j as it is', (body) => {
  expect(flattenNamespaces(body)).toEqual({ body, names: new Map() });
});
