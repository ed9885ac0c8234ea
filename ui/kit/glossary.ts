import { readFileSync } from 'node:fs';

const text: string = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8');

/** Meanings of words, by their headings in the glossary of the documentation. Only catalogs read it: a page gets what they export. */
export const wholeGlossary: Readonly<Record<string, string>> = Object.fromEntries(
  [...text.matchAll(/^### (.+)\n((?:(?!#).*\n?)+)/gm)].map(([, word = '', meaning = '']) => [word, meaning.trim().replaceAll('\n', ' ')]),
);
