import { shortened } from '../../shared/domain/text.ts';

/** Characters that XML 1.0 and terminals do not take: controls other than tab and line ends, non-characters, lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const UNPRINTABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]/g;
/** The colors of a terminal, as a whole. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPE_SEQUENCE = /\u001B\[[0-9;?]*[A-Za-z]/g;

/** A text as it may stand in a document of any kind, of limited length. */
export const printable = (text: string, characters = 500): string =>
  shortened(text.toWellFormed().replaceAll(ESCAPE_SEQUENCE, '').replaceAll(UNPRINTABLE, ''), characters);

/** As `printable`, in one line. */
export const inOneLine = (text: string, characters?: number): string => printable(text.replaceAll(/\s+/g, ' ').trim(), characters);
