import { isObject } from '@reeve/protocol';

const MAX_NAMES = 10_000;

/** The names of tools and prompts in the lists of a server that passed: those that an agent did not make up. */
export class ListedNames {
  readonly #names = { tools: new Set<string>(), prompts: new Set<string>() };

  /** @param result of `tools/list` or `prompts/list` */
  learn(result: unknown): void {
    if (!isObject(result)) return;
    for (const kind of ['tools', 'prompts'] as const) {
      const listed: unknown = result[kind];
      for (const one of Array.isArray(listed) ? listed : []) {
        if (this.#names[kind].size >= MAX_NAMES) return;
        if (isObject(one) && typeof one.name === 'string') this.#names[kind].add(one.name);
      }
    }
  }

  /** Whether a call names a tool, or prompt, that was listed. */
  has(method: string, params: unknown): boolean {
    const { tools, prompts } = this.#names;
    const names = method === 'tools/call' ? tools : method === 'prompts/get' ? prompts : undefined;
    return isObject(params) && typeof params.name === 'string' && names?.has(params.name) === true;
  }
}
