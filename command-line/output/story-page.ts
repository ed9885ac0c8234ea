import { createHash } from 'node:crypto';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readPlay } from '../../shared/catalog/control/operations/plays.ts';
import { inOneLine, printable } from '../../shared/domain/printable.ts';
import { loadPage } from './drawings.ts';
import type { Look } from './table.ts';

type Story = ControlOutput<typeof readPlay>;

/** A story: a page for a file or a pipe, and its sentences for a terminal. */
export const showStory = (story: Story, look: Look): string | Promise<string> =>
  look.columns === undefined ? storyPage(story) : storyText(story, look);

/** A line for each exchange. A terminal wraps it: a sentence must not be cut. */
function storyText({ name, steps, omitted, truncated }: Story, { style }: Look): string {
  const width = String(steps.length).length;
  const lines = steps.map(({ at, sentence, changes }, place) => {
    const head = style('dim', `${String(place + 1).padStart(width)}  ${at.slice(0, 16).replace('T', ' ')}`);
    const changed = changes.length === 0 ? '' : `  ${style('bold', inOneLine(changes.join(', ')))}`;
    return `${head}  ${inOneLine(sentence)}${changed}`;
  });
  const notes = [
    ...(omitted > 0 ? [`${omitted} later exchanges are left out: give a higher --limit.`] : []),
    ...(truncated ? ['Older calls are gone: the journal has reached its limit.'] : []),
    'Write it to a file to play it in a browser: add > story.html.',
  ];
  return [style('bold', inOneLine(name)), ...lines, ...notes.map((text) => style('dim', text))].join('\n');
}

/** The story as one page. It needs no network, and its policy permits none. */
export async function storyPage(story: Story): Promise<string> {
  const { script, styles } = await loadPage('story');
  const code = script.replaceAll('</script', '<\\/script');
  const data = JSON.stringify(story, (_, value: unknown) => (typeof value === 'string' ? printable(value, LONGEST) : value));
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)}`,
    `style-src ${hashOf(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>${escaped(inOneLine(`Story of ${story.name}`, 200))}</title>`,
    `<style>${styles}</style>`,
    '</head>',
    '<body>',
    '<div id="player"><p>This story needs JavaScript.</p></div>',
    // A data block is not run. Without "<" nothing in it can end it.
    `<script type="application/json" id="story">${data.replaceAll('<', '\\u003c')}</script>`,
    `<script type="module">${code}</script>`,
    '</body>',
    '</html>',
  ].join('\n');
}

/** Longest text of a story, in characters: the beginning of a body. */
const LONGEST = 1_000;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
