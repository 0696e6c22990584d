import type { DoctorReport } from '@reeve/server';
import { safeText } from './safe-text.ts';

/** The report for a person; its last line is the verdict. */
export function renderDoctor(report: DoctorReport): string {
  const { machine, findings, agents, sandbox, enforcement, escapes, required, conclusion } = report;
  const lines = [
    `reeve ${machine.version} on ${[machine.distribution, machine.system].filter(Boolean).join(', ')}, as ${machine.root ? 'root' : 'an unprivileged user'}`,
  ];
  for (const { id, state, detail, next } of findings) {
    lines.push(row(state, id, detail), ...step(next));
    if (id !== 'agents') continue;
    for (const agent of agents) {
      const where = agent.path ?? `"${agent.command}" is no executable file on its PATH`;
      lines.push(row('', `  ${agent.name}`, [agent.version, where].filter(Boolean).join(', ')));
    }
  }
  lines.push('', `sandbox (${required} is required)`);
  for (const { backend, usable, enforces, found, reason, nextStep } of sandbox.backends) {
    const used = backend === sandbox.backend ? 'used' : usable ? 'works' : '-';
    const weaker = usable && !enforces ? ['does not count as enforcement'] : [];
    lines.push(row(used, backend, [found, reason, ...weaker].filter(Boolean).join(': ')));
    if (!usable && !sandbox.usable) lines.push(...step(nextStep));
  }
  if (sandbox.backend === 'none')
    lines.push(row('used', 'none', `boundaries are only declared: ${sandbox.reason ?? 'nothing works here'}`));
  lines.push(
    row(
      '',
      'limits',
      Object.entries(sandbox.limits)
        .map(([name, holder]) => `${name} by ${holder}`)
        .join(', '),
    ),
  );
  lines.push(
    row('', 'filter', sandbox.systemCallFilter ? 'of system calls' : 'none of system calls on this processor'),
  );
  if (enforcement !== null) {
    const { fs, network, limits } = enforcement;
    lines.push(row('', 'a process', `files ${fs}, network ${network}, limits ${limits}`));
    for (const gap of enforcement.gaps) lines.push(row('', '  gap', gap));
  }
  if (escapes.length > 0) lines.push('', 'attempts to get out');
  for (const { id, what, verdict, detail } of escapes) {
    lines.push(row(verdict, id, verdict === 'blocked' ? what : `${what}: ${detail}`));
  }
  lines.push('', conclusion);
  return `${lines.map(safeText).join('\n')}\n`;
}

function row(state: string, name: string, text: string): string {
  return `  ${state.padEnd(14)} ${name.padEnd(24)} ${text}`.trimEnd();
}

function step(next: string | undefined): readonly string[] {
  return next === undefined ? [] : [row('', '  next', next)];
}
