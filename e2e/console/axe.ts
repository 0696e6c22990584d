import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const WCAG: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What axe-core finds on the page as it is, against WCAG 2.2 AA and what is good practice beside it, or against `rules` alone: a line for each violation, with where.
 */
export async function axeViolations(page: Page, rules = [...WCAG, 'best-practice']): Promise<readonly string[]> {
  await page.evaluate(source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + help + ' | ' + html.slice(0, 200) + ' | ' + failureSummary)))`;
  return (await page.evaluate(run)) as string[];
}
