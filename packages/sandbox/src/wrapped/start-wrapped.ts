import { type StartFailure, startFailure } from '../start-failure.ts';
import { type StartedProcess, type StartRequest, startBare } from '../start-process.ts';
import type { WrappedLaunch } from './wrap-launch.ts';

/** Takes over what was made for the launch: disposed of with the process, or at once where nothing was started. */
export async function startWrapped(
  request: StartRequest,
  { launch, enforcement, resources }: WrappedLaunch,
): Promise<StartedProcess | StartFailure> {
  const started = await startBare({ ...request, launch }, launch.command);
  if (started.kind === 'failed') {
    await resources.disposeAsync();
    return startFailure(started.reason, `The ${enforcement.backend} could not be started. ${started.message}`);
  }
  started.resources.use(resources);
  return started;
}
