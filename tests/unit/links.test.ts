import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';
import { documents } from '../support/documents.ts';
import { expectKept } from '../support/kept-list.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const isThere = (path: string): boolean => path === '.' || trackedFiles.some((file) => file === path || file.startsWith(`${path}/`));

/** A document without its code, where brackets do not make links. */
const withoutCode = (markdown: string): string => markdown.replaceAll(/^( *)```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, 'code');

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** The anchors of a document. A heading that occurs again has a number. */
function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>();
  const text = textOf(file).replaceAll(/^( *)```[\s\S]*?^ *```$/gm, '');
  return new Set(
    [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
      const anchor = anchorOf(heading);
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** The reason why a relative link does not resolve; undefined when it does. */
function complaint(from: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), decodeURIComponent(path))).replace(/\/$/, '');
  if (!isThere(target)) return `${link}: there is no ${target}`;
  if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)) return `${link}: ${target} lacks this heading`;
  return undefined;
}

test.each([...documents, 'docs/llms.txt'])('Relative links of %s lead to existing files and headings', (file) => {
  const links = [...withoutCode(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const relative = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(relative.flatMap((link) => complaint(file, link) ?? [])).toEqual([]);
});

test('Relative links are reported when the file or the heading does not exist', () => {
  expect(complaint('README.md', 'docs/nothing.md')).toBe('docs/nothing.md: there is no docs/nothing.md');
  expect(complaint('README.md', 'ARCHITECTURE.md#nothing')).toBe('ARCHITECTURE.md#nothing: ARCHITECTURE.md lacks this heading');
  expect(complaint('README.md', 'ARCHITECTURE.md#the-estate')).toBeUndefined();
});

const newcomers = documents.filter((file) => file === 'README.md' || /^docs\/(tutorials|explanation)\//.test(file)).map(textOf);
const withoutTargets = newcomers.map((text) => withoutCode(text).replaceAll(/\]\([^)]*\)/g, ']'));
const prose = withoutTargets.join('\n').toLowerCase();
const terms = [...textOf('docs/glossary.md').matchAll(/^### (.+)$/gm)].map(([, term = '']) => term);

test.each(terms.filter((term) => new RegExp(`\\b${term.toLowerCase()}`).test(prose)))(
  'The glossary term %s is linked where it is used',
  (term) => expect(newcomers.filter((text) => text.includes(`glossary.md#${anchorOf(term)})`)).length).toBeGreaterThan(0),
);

const index = textOf('docs/README.md');

test('The pages for users are all listed in the index of the documentation', () => {
  const listed = documents.filter((file) => /^docs\/(?!README|contributing)/.test(file));
  expectKept(
    'docs/README.md, links',
    listed.filter((file) => index.includes(`](${file.replace('docs/', '')}`)),
    listed,
  );
});

test('The pages for users have a README of at most 7 KB', () =>
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(7 * 1_024));
