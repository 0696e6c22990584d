import { objectMember, objectsIn, textMember } from '../data/json-members.ts';
import { visibleText } from '../hostile/visible-text.ts';

/** What agents can announce (ACP, initialization), and in which words it is told. */
const CAPABILITIES: readonly (readonly [path: readonly string[], words: string])[] = [
  [['loadSession'], 'takes up old sessions'],
  [['promptCapabilities', 'image'], 'pictures in prompts'],
  [['promptCapabilities', 'audio'], 'sound in prompts'],
  [['promptCapabilities', 'embeddedContext'], 'files in prompts'],
  [['mcpCapabilities', 'http'], 'MCP over HTTP'],
  [['mcpCapabilities', 'sse'], 'MCP over SSE'],
  [['sessionCapabilities', 'fork'], 'forks sessions'],
  [['sessionCapabilities', 'list'], 'lists its sessions'],
];

/** The version of an agent, what it can do, and how one logs in, as it announced itself (`initialize`, of ACP v1). */
export function AnnouncedFacts({ initialize }: { readonly initialize: unknown }) {
  const version = textMember(objectMember(initialize, 'agentInfo'), 'version');
  const capabilities = objectMember(initialize, 'agentCapabilities');
  const can = CAPABILITIES.filter(([path]) => isOn(capabilities, path)).map(([, words]) => words);
  const logins = objectsIn(initialize, 'authMethods').map((login) => visibleText(textMember(login, 'name') ?? ''));
  const facts: readonly (readonly [name: string, told: string])[] = [
    ['Version', version === undefined ? '' : visibleText(version)],
    ['Can', can.join(', ')],
    ['Ways to log in', logins.join(', ')],
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-sm">
      {facts
        .filter(([, told]) => told !== '')
        .map(([name, told]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="wrap-anywhere">{told}</dd>
          </div>
        ))}
    </dl>
  );
}

function isOn(capabilities: unknown, [name = '', ...rest]: readonly string[]): boolean {
  const member = objectMember({ capabilities }, 'capabilities')[name];
  if (rest.length > 0) return isOn(member, rest);
  return member === true || (typeof member === 'object' && member !== null);
}
