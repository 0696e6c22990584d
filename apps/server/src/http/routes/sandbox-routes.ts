import { type AnyRoute, apiRoute } from '../api-route.ts';
import type { ControlPort } from '../control-port.ts';
import { sandboxSchema } from '../schemas.ts';

/** What holds boundaries on the machine of the server. */
export function sandboxRoutes(port: Pick<ControlPort, 'sandbox'>): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/sandbox',
      operationId: 'showSandbox',
      tag: 'Server',
      summary: 'Tell what this machine can hold a boundary with: which sandbox is used, and why not another',
      description:
        'Found by trying, once for each run of the server. `reeve doctor` on the machine also tries to get out of a boundary.',
      answers: [{ status: 200, description: 'What there is', schema: sandboxSchema }],
      handle: async (call) => call.json(await port.sandbox()),
    }),
  ];
}
