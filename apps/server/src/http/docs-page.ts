import { isObject, type JsonObject } from '@reeve/protocol';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{overflow:auto;padding:.75rem;border:1px solid #8884;border-radius:.4rem}
section{border-top:1px solid #8884;padding:.5rem 0}h3 code{font-weight:700}table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0;vertical-align:top}`;

/** What may be on the page: its own style and nothing else. */
export const DOCS_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document for people: one page without scripts. */
export async function docsPage(document: JsonObject): Promise<string> {
  const info = document.info as { readonly title: string; readonly version: string; readonly description: string };
  const operations = Object.entries(document.paths as Record<string, Record<string, JsonObject>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => String((operation.tags as readonly string[])[0]));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title><style>${raw(STYLE)}</style></head><body>
<h1>${info.title} ${info.version}</h1><p>${info.description}</p>
<p>Machines read it at <a href="openapi.json"><code>/v1/openapi.json</code></a>. Every call but the open ones needs <code>Authorization: Bearer TOKEN</code>.</p>
${[...byTag].map(([tag, members]) => html`<h2>${tag}</h2>${members.map(operationSection)}`)}
</body></html>`;
  return String(await page);
}

function operationSection({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: JsonObject;
}): Markup {
  const parameters = (operation.parameters ?? []) as readonly JsonObject[];
  const body = operation.requestBody as JsonObject | undefined;
  return html`<section id="${String(operation.operationId)}"><h3><code>${method.toUpperCase()} ${path}</code></h3>
<p>${String(operation.summary)}.${operation.description === undefined ? '' : ` ${String(operation.description)}`}</p>
${
  parameters.length === 0
    ? ''
    : html`<table>${parameters.map(
        (parameter) =>
          html`<tr><td><code>${String(parameter.name)}</code></td><td>${String(parameter.in)}</td><td>${described(parameter)}</td></tr>`,
      )}</table>`
}
${body ? html`<p>Body: ${String(body.description)}</p>${schemaBlock(body.content)}` : ''}
<table>${Object.entries(operation.responses as Record<string, JsonObject>).map(
    ([status, response]) => html`<tr><td><code>${status}</code></td><td>${String(response.description)}</td></tr>`,
  )}</table>
${Object.entries(operation.responses as Record<string, JsonObject>)
  .filter(([status]) => status.startsWith('2'))
  .map(([, response]) => schemaBlock(response.content))}
</section>`;
}

function described({ description, schema }: JsonObject): string {
  return String(description ?? (isObject(schema) ? (schema.description ?? schema.type ?? '') : ''));
}

function schemaBlock(content: unknown): Markup | '' {
  const json = isObject(content) ? content['application/json'] : undefined;
  if (!isObject(json)) return '';
  return html`<details><summary>JSON schema</summary><pre>${JSON.stringify(json.schema, undefined, 2)}</pre></details>`;
}
