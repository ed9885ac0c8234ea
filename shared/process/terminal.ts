import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters, styleText } from 'node:util';
import { escapedControls, withoutCommands, withoutControls } from '../domain/printable.ts';

/** Placeholder of the escape character in text that this process has styled. It is random, so no data contains it. */
const OWN_ESCAPE = randomUUID();

type Styling = Parameters<typeof styleText>;

/** As `styleText`, for text that `print` writes. */
export const styled = (format: Styling[0], text: string, options?: Styling[2]): string =>
  styleText(format, withoutControls(text), options).replaceAll('\u001B', OWN_ESCAPE);

/** A text for a terminal: with the styles of this process, and without control characters of data or commands of a CI. */
const forTerminal = (text: string): string => withoutCommands(withoutControls(text).replaceAll('\r', '')).replaceAll(OWN_ESCAPE, '\u001B');

/** Number of characters that a terminal shows. */
export const widthOf = (text: string): number => [...stripVTControlCharacters(forTerminal(text))].length;

/** Writes text for a person. All output of a process goes through here, because data must not control a terminal or a CI. */
export function print(text: string, stream: { write(text: string): unknown } = process.stdout): void {
  stream.write(forTerminal(text));
}

export const printError = (text: string): void => print(text, process.stderr);

/**
 * Writes a value as JSON. What a terminal or a CI must not get is escaped, which does not change the value.
 * @param indent spaces before its members
 */
export function printJson(value: unknown, indent?: number): void {
  const json = JSON.stringify(value, null, indent) ?? 'null';
  process.stdout.write(`${escapedControls(json)}\n`);
}
