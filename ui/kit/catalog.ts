import { EXPLAINED } from './explained.ts';
import { wholeGlossary } from './glossary.ts';

/** Meanings of the words that texts of the console explain. The bundler evaluates this module, as `data/catalog.ts`. */
export const meanings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(EXPLAINED).map((word) => [word, wholeGlossary[word] ?? '']),
);
