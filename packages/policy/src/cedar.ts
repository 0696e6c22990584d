/** Cedar, compiled to WebAssembly. Four megabytes and some 80 ms: loaded when the first policy is, and then kept. */
export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

export function loadCedar(): Promise<Cedar> {
  return import('@cedar-policy/cedar-wasm/nodejs');
}
