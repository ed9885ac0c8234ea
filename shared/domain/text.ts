/** Whether a string can be sent, stored and compared unchanged: lone surrogates have no UTF-8, and NUL ends strings elsewhere. */
export const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\0');

/** Replaces characters that are not text with U+FFFD, for use in a response. */
export const asText = (value: string): string => value.toWellFormed().replaceAll('\0', '\ufffd');

/** The message of a thrown value. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The first characters of a text, with an ellipsis for the rest. */
export const shortened = (value: string, characters: number): string =>
  value.length <= characters ? value : `${value.slice(0, characters).toWellFormed()}…`;

/** The normal form for searches: Unicode's NFC, in lower case. A blank matches a +, because a + in a query arrives as a blank. */
export const searchForm = (value: string): string => value.normalize('NFC').toLowerCase().normalize('NFC').replaceAll('+', ' ');

/** A number with its noun: `1 finding`, `1,200 findings`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
