import { describe, expect, it } from 'vitest';
import { toolTimeoutMs } from '../../agents/tool-timeout.ts';
import { callPatienceMs } from './call-patience.ts';

describe('the MCP client of an agent', () => {
  it.each([
    ['codex-mcp-client', '0.137.0', 105_000],
    ['codex-mcp-client', '0.166.0', 280_000],
    ['codex-mcp-client', '1.0.0', 280_000],
    ['codex-mcp-client', 'unknown', 105_000],
    ['gemini-cli-mcp-client', '0.61.0', 540_000],
    ['qwen-cli-mcp-client-files', '0.0.1', 540_000],
    ['claude-code', '2.1.0', undefined],
    ['opencode', '1.18.33', undefined],
    ['github-copilot-developer', '1.0.0', undefined],
    ['something-else', '1.0.0', 50_000],
    ['', '', 50_000],
  ])('waits as long as was measured: %s %s', (name, version, ms) => {
    expect(callPatienceMs({ name, version })).toBe(ms);
  });

  it.each([
    ['claude-code', '600000', 585_000],
    ['claude-code', '20000', 17_000],
    ['claude-code', '900', 765],
    ['claude-code', ' 60000ms', 51_000],
    ['claude-code', 'forever', undefined],
    ['claude-code', '0', undefined],
    ['claude-code', '-5', undefined],
    ['opencode', '20000', undefined],
    ['gemini-cli-mcp-client', '20000', 540_000],
  ])('waits as its environment says, where it heeds that: %s, MCP_TOOL_TIMEOUT=%s', (name, value, ms) => {
    expect(callPatienceMs({ name, version: '2.1.0' }, toolTimeoutMs({ MCP_TOOL_TIMEOUT: value }))).toBe(ms);
  });

  it('that says nothing of itself has the patience of an unknown one', () => {
    expect(callPatienceMs(undefined)).toBe(50_000);
  });
});
