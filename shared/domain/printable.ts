import { shortened } from './text.ts';

/**
 * Characters that XML 1.0 and terminals do not take: controls other than tab and line ends, non-characters, changes of the writing
 * direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
export const UNPRINTABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]/g;
/** Whole escape sequences for colours, cursor movements and window titles of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPE_SEQUENCE = /(?:\u001B\[|\u009B)[0-9;?]*[A-Za-z]|(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D]*(?:\u0007|\u001B\\|\u009C)/g;

/** A text without unprintable characters, of any length. */
export const withoutControls = (text: string): string => text.toWellFormed().replaceAll(ESCAPE_SEQUENCE, '').replaceAll(UNPRINTABLE, '');

/** A text of limited length without characters that a document of any kind could refuse. */
export const printable = (text: string, characters = 500): string => shortened(withoutControls(text), characters);

/** As `printable`, on one line. */
export const inOneLine = (text: string, characters?: number): string => printable(text.replaceAll(/\s+/g, ' ').trim(), characters);

/** `##vso[…]` of Azure Pipelines and `##[…]` of GitHub are read anywhere in a line. */
const MARKED_COMMAND = /#(?=#\w{0,30}\[)/g;
/** `::error::…` of GitHub is read at the beginning of a line, after blanks. Every line end is left out, so that the search takes linear time. */
const LINE_COMMAND = /^([^\S\r\n\u2028\u2029]*):(?=:[a-z])/gim;

/** A text without lines that a CI runs as commands. Such lines are in its log, because a program has printed them. */
export const withoutCommands = (text: string): string => text.replaceAll(MARKED_COMMAND, '# ').replaceAll(LINE_COMMAND, '$1: ');

/** JSON with escapes for unprintable characters and for commands of a CI. Its value stays the same. */
export const escapedControls = (json: string): string => json.replaceAll(UNPRINTABLE, escapeOf).replaceAll(MARKED_COMMAND, escapeOf);

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
