import { execFile } from 'node:child_process';
import type { ContainerEngine } from './container-engine.ts';

export type ContainerProbe =
  | { readonly kind: 'usable'; readonly version: string }
  | { readonly kind: 'unusable'; readonly reason: string; readonly nextStep: string };

const deadlineMs = 3_000;

/** Whether the engine answers, has the image, and runs a program in it without network. At most 9 s. */
export async function probeContainer(engine: ContainerEngine): Promise<ContainerProbe> {
  const { kind, image } = engine;
  const format = kind === 'docker' ? '{{.Server.Version}}' : '{{.Client.Version}}';
  const version = await ask(engine, ['version', '--format', format]);
  if (version.kind === 'failed') {
    return unusable(
      `${kind} does not answer (${version.reason})`,
      kind === 'docker' ? 'Start the Docker service, and let this user use it.' : 'Run "podman info" as this user.',
    );
  }
  const inspected = await ask(engine, ['image', 'inspect', '--format', '{{.Id}}', image]);
  if (inspected.kind === 'failed') {
    return unusable(`the image "${image}" is not there`, `Run "${kind} pull ${image}": nothing is pulled by itself.`);
  }
  const isolated = ['run', '--rm', '--pull', 'never', '--network', 'none', '--read-only', '--cap-drop', 'ALL'];
  const ran = await ask(engine, [...isolated, '--entrypoint', '/bin/sh', '--', image, '-c', 'echo held']);
  if (ran.kind === 'failed' || ran.said !== 'held') {
    return unusable(
      `no program could be run in "${image}" (${ran.kind === 'failed' ? ran.reason : 'it did not answer'})`,
      'Choose an image with /bin/sh in it.',
    );
  }
  return { kind: 'usable', version: version.said };
}

function unusable(reason: string, nextStep: string): ContainerProbe {
  return { kind: 'unusable', reason, nextStep };
}

type Answer = { readonly kind: 'said'; readonly said: string } | { readonly kind: 'failed'; readonly reason: string };

function ask({ program, env }: ContainerEngine, args: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: deadlineMs, env }, (error, stdout, stderr) => {
      if (error === null) resolve({ kind: 'said', said: stdout.trim() });
      else if (error.killed) resolve({ kind: 'failed', reason: `no answer within ${deadlineMs} ms` });
      else resolve({ kind: 'failed', reason: stderr.trim().split('\n').at(-1) || String(error.code) });
    });
  });
}
