import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';

const file = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
const schema = JSON.parse(readFileSync(file, 'utf8')) as { readonly $defs: Readonly<Record<string, Definition>> };
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(schema, 'acp');

interface Definition {
  readonly 'x-method'?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
  readonly allOf?: readonly Definition[];
  readonly anyOf?: readonly Definition[];
  readonly oneOf?: readonly Definition[];
}

/** What is wrong with `value` as `type` of the schema of ACP v1; undefined when nothing is. */
export function faultsOf(type: string, value: unknown): unknown {
  const validate = ajv.getSchema(`acp#/$defs/${type}`);
  if (validate === undefined) throw new Error(`the schema has no ${type}`);
  return validate(value) ? undefined : { type, value, errors: validate.errors };
}

/** The names of what `method` sends and is answered with, as far as ACP v1 defines the method. */
export function typesOf(method: string): { readonly params?: string; readonly result?: string } {
  const named = Object.entries(schema.$defs).filter(([, definition]) => definition['x-method'] === method);
  const params = named.find(([name]) => /(Request|Notification)$/.test(name))?.[0];
  const result = named.find(([name]) => name.endsWith('Response'))?.[0];
  return { ...(params ? { params } : {}), ...(result ? { result } : {}) };
}

/** The fields at the root of `value` that `type` of the schema does not know. */
export function foreignFields(type: string, value: object): string[] {
  const known = knownFields({ $ref: `#/$defs/${type}` }, value);
  return Object.keys(value).filter((name) => !known.has(name));
}

function knownFields(definition: Definition, value: object): Set<string> {
  const { $ref, properties = {}, allOf = [], anyOf = [], oneOf = [] } = definition;
  const tag = Object.entries(properties).find(([, { const: expected }]) => expected !== undefined);
  if (tag && (value as Record<string, unknown>)[tag[0]] !== tag[1].const) return new Set();
  const named = $ref === undefined ? undefined : schema.$defs[$ref.replace('#/$defs/', '')];
  const parts = [...(named ? [named] : []), ...allOf, ...anyOf, ...oneOf];
  return new Set([...Object.keys(properties), ...parts.flatMap((part) => [...knownFields(part, value)])]);
}
