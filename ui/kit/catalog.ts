import { readFileSync } from 'node:fs';
import { EXPLAINED } from './explained.ts';

const text: string = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8');

/** Meanings of words, by their headings in the glossary of the documentation. The bundler evaluates this module, as `data/catalog.ts`, and leaves out what no page imports. */
export const wholeGlossary: Readonly<Record<string, string>> = Object.fromEntries(
  [...text.matchAll(/^### (.+)\n((?:(?!#).*\n?)+)/gm)].map(([, word = '', meaning = '']) => [word, meaning.trim().replaceAll('\n', ' ')]),
);

/** Meanings of the words that texts of the console explain. */
export const meanings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(EXPLAINED).map((word) => [word, wholeGlossary[word] ?? '']),
);
