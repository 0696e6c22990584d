import { z } from 'zod';
import { noAgent } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import type { ControlPort } from '../control-port.ts';
import { agentCheckSchema, agentDetailsSchema, agentSchema, healthSchema } from '../schemas.ts';

export const AGENT_NAME = 'Name of an agent in the configuration';
const parameters = { name: AGENT_NAME };

const agentsSchema = z.object({
  agents: z.array(agentSchema),
  installable: z
    .array(z.object({ name: z.string(), package: z.string().describe('The npm package') }))
    .describe('Known, not configured, and nowhere on this machine'),
});

/** The server itself and the agents that it can start. */
export function agentRoutes(port: ControlPort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/health',
      operationId: 'health',
      tag: 'Server',
      summary: 'Tell that the server lives; who has no token is told the status alone',
      open: true,
      answers: [{ status: 200, description: 'It lives', schema: healthSchema }],
      handle(call) {
        const health = port.health();
        return call.json(call.env.authenticated ? health : { status: health.status });
      },
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/agents',
      operationId: 'listAgents',
      tag: 'Agents',
      summary: 'List agents, and those that could be installed',
      answers: [{ status: 200, description: 'Agents', schema: agentsSchema }],
      handle: async (call) => call.json({ agents: await port.agents(), installable: port.installable() }),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/agents/{name}',
      operationId: 'showAgent',
      tag: 'Agents',
      summary: 'Show an agent, with its capabilities, models and modes where they are known; starts nothing',
      parameters,
      answers: [{ status: 200, description: 'The agent', schema: agentDetailsSchema }],
      errors: ['not_found'],
      async handle(call) {
        const name = call.req.param('name') ?? '';
        const agent = await port.agent(name);
        return agent ? call.json(agent) : noAgent(name);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/agents/{name}/check',
      operationId: 'checkAgent',
      tag: 'Agents',
      summary: 'Start an agent, initialize it and end it',
      parameters,
      answers: [{ status: 200, description: 'Whether it works', schema: agentCheckSchema }],
      errors: ['not_found'],
      async handle(call) {
        const name = call.req.param('name') ?? '';
        const check = await port.checkAgent(name, call.req.raw.signal);
        return check ? call.json(check) : noAgent(name);
      },
    }),
  ];
}
