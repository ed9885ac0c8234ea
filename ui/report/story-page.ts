import { inOneLine, printable } from '../../shared/domain/printable.ts';
import type { Story } from '../play/story.ts';

interface Files {
  readonly script: string;
  readonly styles: string;
}

const TITLE = '<title>Story</title>';
const DATA = '<script type="application/json" id="story">';

/** Longest text of a story, in characters: the beginning of a body. */
const LONGEST = 1_000;

/**
 * The page of a story, without its story. It needs no network, and its policy permits none.
 * @param hashOf the SHA-256 of a text in Base64: pages from an insecure origin cannot compute it
 */
export function emptyStoryPage({ script, styles }: Files, hashOf: (text: string) => string): string {
  const code = script.replaceAll('</script', '<\\/script');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(code)}'`,
    `style-src 'sha256-${hashOf(styles)}'`,
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
    TITLE,
    `<style>${styles}</style>`,
    '</head>',
    '<body>',
    '<div id="player"><p>This story needs JavaScript.</p></div>',
    // A data block is not run.
    `${DATA}</script>`,
    `<script type="module">${code}</script>`,
    '</body>',
    '</html>',
  ].join('\n');
}

/** The page with a story. */
export function withStory(page: string, story: Story): string {
  const data = JSON.stringify(story, (_, value: unknown) => (typeof value === 'string' ? printable(value, LONGEST) : value));
  return (
    page
      .replace(TITLE, () => `<title>${escaped(inOneLine(`Story of ${story.name}`, 200))}</title>`)
      // Without "<" nothing in the data can end its block.
      .replace(DATA, () => DATA + data.replaceAll('<', '\\u003c'))
  );
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
