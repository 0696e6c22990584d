import { describe, expect, it } from 'vitest';
import { parameterHeaders } from './parameter-headers.ts';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    bad: { type: 'string', 'x-mcp-header': 'a b\r\nx: y' },
    deep: { type: 'object', properties: { id: { type: 'string', 'x-mcp-header': 'Id' } } },
    plain: { type: 'string' },
  },
};

describe('arguments that a schema wants in headers', () => {
  it('are named there, at any depth, and others are not', () => {
    const given = { region: 'eu', count: 3, dry: false, bad: 'x', deep: { id: 'a' }, plain: 'p' };
    expect(parameterHeaders(schema, given)).toEqual({
      'Mcp-Param-Region': 'eu',
      'Mcp-Param-Count': '3',
      'Mcp-Param-Dry-Run': 'false',
      'Mcp-Param-Id': 'a',
    });
  });

  it.each([
    ['é', '=?base64?w6k=?='],
    [' x', '=?base64?IHg=?='],
    ['', '=?base64??='],
    ['a\r\nb: c', '=?base64?YQ0KYjogYw==?='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
    ['a b', 'a b'],
  ])('%j goes as %j', (value, header) => {
    expect(parameterHeaders(schema, { region: value })).toEqual({ 'Mcp-Param-Region': header });
  });

  it.each([[undefined], [null], [{}], [1.5e300], [['x']]])('%j has none', (value) => {
    expect(parameterHeaders(schema, { region: value, count: value })).toEqual({});
    expect(parameterHeaders(value, { region: 'x' })).toEqual({});
    expect(parameterHeaders(schema, value)).toEqual({});
  });
});
