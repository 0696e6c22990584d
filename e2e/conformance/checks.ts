import type { Check } from './check.ts';
import { initializeChecks } from './initialize-checks.ts';
import { capabilityCheck, jsonRpcChecks, transportChecks } from './json-rpc-checks.ts';
import { promptChecks } from './prompt-checks.ts';
import { schemaChecks } from './schema-checks.ts';
import { lifecycleChecks, newSessionChecks } from './session-checks.ts';
import { settingsChecks } from './settings-checks.ts';

/** What an ACP v1 agent owes its client, in the order in which a cell's lines run. */
export const CHECKS: readonly Check[] = [
  ...initializeChecks,
  ...newSessionChecks,
  ...promptChecks,
  ...jsonRpcChecks,
  ...settingsChecks,
  capabilityCheck,
  ...lifecycleChecks,
  ...transportChecks,
  ...schemaChecks,
];
