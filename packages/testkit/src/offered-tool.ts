/** A tool as an agent offers it to the model, whatever the model API. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: ToolSchema;
}

interface ToolSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
}

/** What a tool is for. Agents name their tools differently, so a script asks for the purpose. */
export type ToolPurpose = 'write-file' | 'run-command';

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const TOOL_NAMES: Readonly<Record<ToolPurpose, readonly string[]>> = {
  'write-file': ['Write', 'write', 'write_file', 'create_file', 'mcp__acp__Write'],
  'run-command': ['Bash', 'bash', 'shell', 'exec_command', 'shell_command', 'run_shell_command', 'mcp__acp__Bash'],
};

const LONG_TIMEOUT_MS = 60_000;
const PATH_PROPERTIES = ['file_path', 'filePath', 'path', 'absolute_path'];
const CONTENT_PROPERTIES = ['content', 'text', 'file_text'];
const COMMAND_PROPERTIES = ['command', 'cmd'];

export function findTool(tools: readonly OfferedTool[], purpose: ToolPurpose): OfferedTool | undefined {
  return tools.find((tool) => TOOL_NAMES[purpose].includes(tool.name));
}

/** A call of the agent's shell tool with `command`, a line for `/bin/sh`; undefined when it offers no such tool. */
export function commandCall(tools: readonly OfferedTool[], command: string): ToolCall | undefined {
  const tool = findTool(tools, 'run-command');
  const property = tool && firstProperty(tool, COMMAND_PROPERTIES);
  if (tool === undefined || property === undefined) return undefined;
  const takesList = tool.schema.properties?.[property]?.type === 'array';
  return callOf(tool, { [property]: takesList ? ['/bin/sh', '-c', command] : command });
}

/**
 * A call that writes `content` to the absolute `path`, a file that does not exist yet. An agent without a tool for
 * writing is Codex: it edits by an `apply_patch` command, which it takes out of its shell tool's arguments, and which
 * ends every file with a newline.
 */
export function writeFileCall(tools: readonly OfferedTool[], path: string, content: string): ToolCall | undefined {
  const tool = findTool(tools, 'write-file');
  if (tool === undefined) return applyPatchCall(tools, path, content);
  const pathProperty = firstProperty(tool, PATH_PROPERTIES);
  const contentProperty = firstProperty(tool, CONTENT_PROPERTIES);
  if (pathProperty === undefined || contentProperty === undefined) return undefined;
  return callOf(tool, { [pathProperty]: path, [contentProperty]: content });
}

/** A call of an MCP server's tool: `read_note`, offered as `mcp__notes__read_note`, `notes_read_note` and the like. */
export function mcpToolCall(
  tools: readonly OfferedTool[],
  toolName: string,
  args: Readonly<Record<string, unknown>>,
): ToolCall | undefined {
  const tool = tools.find(({ name }) => name === toolName || name.endsWith(`_${toolName}`));
  return tool && callOf(tool, args);
}

function applyPatchCall(tools: readonly OfferedTool[], path: string, content: string): ToolCall | undefined {
  const added = content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `+${line}`);
  const patch = ['*** Begin Patch', `*** Add File: ${path}`, ...added, '*** End Patch'].join('\n');
  return commandCall(tools, `apply_patch <<'PATCH'\n${patch}\nPATCH\n`);
}

function firstProperty(tool: OfferedTool, names: readonly string[]): string | undefined {
  return names.find((name) => tool.schema.properties?.[name] !== undefined);
}

/** Adds what the schema requires beside `known`, and nothing else: some agents refuse properties they don't know. */
function callOf(tool: OfferedTool, known: Readonly<Record<string, unknown>>): ToolCall {
  const missing = (tool.schema.required ?? []).filter((name) => !(name in known));
  const filled = missing.map((name) => [name, sampleValue(name, tool.schema.properties?.[name])] as const);
  return { name: tool.name, arguments: { ...known, ...Object.fromEntries(filled) } };
}

function sampleValue(name: string, schema: PropertySchema | undefined): unknown {
  if (schema?.enum?.[0] !== undefined) return schema.enum[0];
  const type = typeof schema?.type === 'string' ? schema.type : schema?.type?.[0];
  switch (type) {
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return name.toLowerCase().includes('timeout') ? LONG_TIMEOUT_MS : 1;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'scripted';
  }
}
