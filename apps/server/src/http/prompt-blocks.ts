import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject, type JsonObject, META_KEY, type PromptAttachment, ReeveError } from '@reeve/protocol';

/**
 * The content blocks of a prompt (ACP, content): the words, then each attachment as the agent can take it (`promptCapabilities`
 * of its `initialize` result): by link always, inline as image, audio or embedded resource where announced. Text that cannot be
 * embedded becomes a text block; bytes that cannot are refused. The file name stands in the block's `_meta`.
 */
export function promptBlocks(
  prompt: string | readonly unknown[],
  attachments: readonly PromptAttachment[],
  promptCapabilities: JsonObject,
): readonly unknown[] {
  const words = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
  const blocks = attachments.map((attachment, index) => {
    const block = blockOf(attachment, promptCapabilities, `attachments[${index}]`);
    const { filename } = attachment;
    return filename === undefined ? block : { ...block, _meta: { [META_KEY]: { filename } } };
  });
  return [...words, ...blocks];
}

function blockOf(attachment: PromptAttachment, can: JsonObject, place: string): JsonObject {
  const { filename, mimeType } = attachment;
  const type = mimeType === undefined ? {} : { mimeType };
  if ('path' in attachment) {
    const name = filename ?? basename(attachment.path);
    return { type: 'resource_link', uri: pathToFileURL(attachment.path).href, name, ...type };
  }
  if ('uri' in attachment) {
    return { type: 'resource_link', uri: attachment.uri, name: filename ?? nameOf(attachment.uri), ...type };
  }
  const uri = `attachment:///${encodeURIComponent(filename ?? 'unnamed')}`;
  if ('text' in attachment) {
    if (can.embeddedContext !== true) return { type: 'text', text: attachment.text };
    return { type: 'resource', resource: { uri, text: attachment.text, ...type } };
  }
  for (const kind of ['image', 'audio'] as const) {
    if (can[kind] === true && mimeType?.startsWith(`${kind}/`)) return { type: kind, data: attachment.data, mimeType };
  }
  if (can.embeddedContext === true) return { type: 'resource', resource: { uri, blob: attachment.data, ...type } };
  throw new ReeveError('capability_missing', {
    message: `${place}: the agent takes no ${mimeType ?? 'such content'} inline`,
    data: { promptCapabilities: can, next: 'put the content into a file of the session and send its path' },
  });
}

function nameOf(uri: string): string {
  const name = basename(URL.parse(uri)?.pathname ?? '');
  return name === '' ? uri : name;
}

/** `promptCapabilities` of an `initialize` result. */
export function promptCapabilitiesOf(initialize: unknown): JsonObject {
  const { agentCapabilities: v1, capabilities: v2 } = isObject(initialize) ? initialize : {};
  if (isObject(v1) && isObject(v1.promptCapabilities)) return v1.promptCapabilities;
  const session = isObject(v2) && isObject(v2.session) ? v2.session : {};
  // ACP v2, PromptCapabilities: an object says what `true` says in v1.
  const offered = Object.entries(isObject(session.prompt) ? session.prompt : {});
  return Object.fromEntries(offered.map(([name, value]) => [name, isObject(value)]));
}
