import type { Benchmark, Figure, Report } from './benchmark.ts';
import { median } from './statistics.ts';

/** A report as text for people: a table of figures, then the goals. */
export function printReport(benchmark: Benchmark, report: Report): string {
  const rows = report.figures.map((figure) => [figure.who, figure.what, ...cells(figure)]);
  const lines = ['', `# ${benchmark.title} (${benchmark.name})`, ...table([['', '', 'median', 'min–max'], ...rows])];
  for (const { what, goal, value, met } of report.goals) {
    lines.push(`  ${met ? 'met    ' : 'NOT MET'}  ${what}: ${value} (goal ${goal})`);
  }
  for (const remark of report.remarks) lines.push(`  note     ${remark}`);
  for (const fault of report.faults) lines.push(`  FAULT    ${fault}`);
  return lines.join('\n');
}

function cells({ samples, unit }: Figure): string[] {
  return [`${short(median(samples))} ${unit}`, `${short(Math.min(...samples))}–${short(Math.max(...samples))}`];
}

function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 10_000) return `${Math.round(value / 1000)} k`;
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return value === 0 ? '0' : value.toPrecision(3);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}
