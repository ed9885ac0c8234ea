/**
 * Whether a string is text. Lone surrogates have no UTF-8, and NUL ends strings in other systems: neither can be passed on, stored and
 * compared as what it was.
 */
export const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\0');

/** The same with U+FFFD for what is no text, so that it can stand in an answer. */
export const asText = (value: string): string => value.toWellFormed().replaceAll('\0', '\ufffd');

/** At most so many characters, with an ellipsis for the rest. */
export const shortened = (value: string, characters: number): string =>
  value.length <= characters ? value : `${value.slice(0, characters).toWellFormed()}…`;
