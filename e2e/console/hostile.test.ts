import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const MARKDOWN = `
<script>window.hacked = 1</script>
<img src=x onerror="window.hacked = 2">
<iframe srcdoc="<script>parent.hacked = 3</script>"></iframe>
<style>body { display: none }</style>
<a href="javascript:window.hacked = 4">html link</a>

[script link](javascript:window.hacked=5) [data link](data:text/html,<script>alert(1)</script>)
[file link](file:///etc/passwd) [good link](https://evil.example/path)
[https://bank.example](https://evil.example/login)
![picture](https://tracker.example/pixel.png)
<https://auto.example/>

\u202Egnp.exe \u2066hidden\u2069 zero\u200Bwidth \u001b[31mred\u001b[0m
`;

const text = (value: string) => ({ type: 'text', text: value });

describe('a transcript full of hostile text', () => {
  it('is inert in the console: no script, no request, no link but to http, nothing invisible', async () => {
    const id = await lab.session('<img src=x onerror=hacked=6> \u202Eevil');
    await using console = await lab.open({ path: `/sessions/${id}`, height: 3000 });
    const { page } = console;
    await lab.begin(
      id,
      { say: MARKDOWN },
      { update: { sessionUpdate: 'agent_thought_chunk', content: text(MARKDOWN) } },
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: '<b>t</b>',
          title: `<script>hacked=7</script> ${MARKDOWN}`,
          kind: '<i>kind</i>',
          status: '<u>status</u>',
          rawInput: { command: 'ls', args: ['\u202E; rm -rf /', '\u001b[2K'] },
          content: [
            { type: 'content', content: text(MARKDOWN) },
            { type: 'content', content: { type: 'image', data: 'PHN2Zz4=', mimeType: 'image/svg+xml' } },
            { type: 'content', content: { type: 'resource_link', name: 'x', uri: 'javascript:hacked=8' } },
            { type: 'diff', path: '../../<script>', oldText: null, newText: MARKDOWN },
            { type: 'new kind', payload: MARKDOWN },
          ],
        },
      },
      { update: { sessionUpdate: 'plan', entries: [{ content: MARKDOWN, status: 'x', priority: 'y' }] } },
      { update: { sessionUpdate: '__proto__', constructor: { prototype: 1 } } },
      {
        permission: {
          title: `Allow \u202E${MARKDOWN}`,
          options: [
            { optionId: 'a', name: '<b>Yes\u200B</b>', kind: 'allow_once' },
            { optionId: 'r', name: 'No', kind: 'reject_once' },
          ],
        },
      },
    );
    await page.getByRole('button', { name: 'No', exact: true }).waitFor();
    for (const fold of await page.locator('summary').all()) await fold.click();

    expect(await page.evaluate('window.hacked')).toBeUndefined();
    const foreign = 'main script, main iframe, main style, main [onerror], main [srcdoc], main img';
    expect(await page.locator(foreign).count()).toBe(0);
    const targets = await page
      .locator('main a')
      .evaluateAll((links: { href: string }[]) => links.map(({ href }) => href));
    expect(targets.filter((href) => !/^https?:/.test(href))).toEqual([]);
    const visible = await page.getByRole('main').innerText();
    expect(visible).toContain('<script>window.hacked = 1</script>');
    expect(visible).toMatch(/https:\/\/bank\.example \(evil\.example\)/);
    expect(visible).toContain('⟨U+202E⟩gnp.exe');
    expect(visible).toContain('zero⟨U+200B⟩width');
    expect(visible).toContain('"⟨U+202E⟩; rm -rf /"');
    expect(await page.locator('body').evaluate((body: { textContent: string }) => body.textContent)).not.toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      /[\u001b\u202e\u2066\u200b]/,
    );

    await using inbox = await lab.open({});
    const card = inbox.page.getByRole('article');
    await card.getByRole('button', { name: '<b>Yes⟨U+200B⟩</b>' }).waitFor();
    expect(await card.innerText()).toContain('⟨U+202E⟩');
    expect(await inbox.page.evaluate('window.hacked')).toBeUndefined();
    await lab.api.sessions.cancel(id);
  });
});
