import { setupErrorData } from '@reeve/protocol';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { actorOf } from '../caller.ts';
import { FACTS, factsBody, POLICY_FILES, policyFiles } from '../governance-input.ts';
import type { GovernancePort } from '../governance-port.ts';
import { explanationSchema, policiesSchema, policyCheckSchema } from '../governance-schemas.ts';
import { problem, problemResponse } from '../problem.ts';

const tag = 'Policies';

/** The policies in force, and what they say. */
export function policyRoutes(port: GovernancePort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/policies',
      operationId: 'showPolicies',
      tag,
      summary: 'Show the policies in force, with their text and their hash',
      answers: [{ status: 200, description: 'The policies', schema: policiesSchema }],
      handle: async (call) => call.json(await port.policies()),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/policies/check',
      operationId: 'checkPolicies',
      tag,
      summary: 'Hold policies against the schema, and say what is wrong and where; changes nothing',
      body: { schema: policyFiles, expected: POLICY_FILES },
      answers: [{ status: 200, description: 'What was found', schema: policyCheckSchema }],
      errors: ['invalid_params'],
      handle: async (call, { body: { files } }) => call.json(await port.checkPolicies(files)),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/policies/explain',
      operationId: 'explainDecision',
      tag,
      summary: 'Decide one case by the policies in force, and say which led to it and what would change it',
      body: { schema: factsBody, expected: FACTS },
      answers: [{ status: 200, description: 'The decision, explained', schema: explanationSchema }],
      errors: ['invalid_params'],
      async handle(call, { body: { facts } }) {
        const result = await port.explain(facts);
        if (result.kind === 'explained') return call.json(result.explanation);
        const issues = result.issues.map(({ path, expected, next }) => ({
          path: path === '' ? 'facts' : `facts.${path}`,
          expected,
          received: 'something else',
          fix: next,
        }));
        const data = setupErrorData(issues);
        return problemResponse(problem('invalid_params', { detail: String(data.summary), data: { ...data } }));
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/policies/reload',
      operationId: 'reloadPolicies',
      tag,
      summary: 'Read the policy files of the configuration again; what is tighter counts at once for what runs',
      description: 'Where a file is wrong (`ok` is false) the policies of before stay in force.',
      answers: [{ status: 200, description: 'What was found', schema: policyCheckSchema }],
      handle: async (call) => call.json(await port.reloadPolicies(actorOf(call))),
    }),
  ];
}
