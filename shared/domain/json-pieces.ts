import type { Breathe } from './breathe.ts';
import { canonicalJson, canonicalMembers } from './canonical-json.ts';

/**
 * The text of a JSON value in pieces, as `JSON.stringify` writes it. An item of a list is one piece, so that each piece is short in a value
 * whose long parts are lists.
 */
export const jsonPieces = (value: unknown): Generator<string, void> => pieces(value, JSON.stringify, Object.entries);

/** The canonical JSON of a value in pieces. */
export const canonicalPieces = (value: unknown): Generator<string, void> => pieces(value, canonicalJson, canonicalMembers);

type Members = (value: object) => [string, unknown][];

function* pieces(value: unknown, whole: (value: unknown) => string, members: Members): Generator<string, void> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [place, item] of value.entries()) yield `${place > 0 ? ',' : ''}${whole(item ?? null)}`;
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    let separator = '{';
    for (const [name, member] of members(value)) {
      if (member === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* pieces(member, whole, members);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else yield whole(value ?? null);
}

/** Bytes of a text that are parsed as a whole. */
const PIECE = 16_384;

/**
 * Parses the bytes of a valid JSON text in pieces. One text of all of them would be made and flattened in one turn.
 * @param json in UTF-8, where the bytes of a character beyond ASCII resemble no other one @throws SyntaxError
 */
export async function parsedInPieces(json: Buffer, breathe: Breathe): Promise<unknown> {
  let at = 0;
  return next();

  async function next(): Promise<unknown> {
    const waiting = breathe();
    if (waiting) await waiting;
    const end = endOfValue(json, at);
    if (end !== undefined) return parsedTo(end);
    return json[at] === LIST ? items() : members();
  }

  function parsedTo(end: number): unknown {
    const text = json.toString('utf8', at, end);
    at = end;
    return JSON.parse(text);
  }

  async function items(): Promise<unknown[]> {
    const found: unknown[] = [];
    do {
      at += 1;
      found.push(await next());
    } while (json[at] === COMMA);
    at += 1;
    return found;
  }

  async function members(): Promise<Record<string, unknown>> {
    const found: [string, unknown][] = [];
    do {
      at += 1;
      const name = parsedTo(endOfString(json, at)) as string;
      at += 1;
      found.push([name, await next()]);
    } while (json[at] === COMMA);
    at += 1;
    return Object.fromEntries(found);
  }
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @returns the index after the closing quote */
function endOfString(json: Buffer, opening: number): number {
  for (let at = json.indexOf('"', opening + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

/** @returns the index after the value that begins at `start`; undefined for an object or a list that is longer than a piece */
function endOfValue(json: Buffer, start: number): number | undefined {
  const first = json[start];
  if (first === QUOTE) return endOfString(json, start);
  if (first !== LIST && first !== OBJECT) {
    let at = start;
    while (at < json.length && json[at] !== COMMA && json[at] !== END_OF_LIST && json[at] !== END_OF_OBJECT) at += 1;
    return at;
  }
  let level = 0;
  for (let at = start; at < json.length; at++) {
    if (at - start > PIECE) return undefined;
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at) - 1;
    else if (byte === LIST || byte === OBJECT) level += 1;
    else if (byte === END_OF_LIST || byte === END_OF_OBJECT) {
      level -= 1;
      if (level === 0) return at + 1;
    }
  }
  return json.length;
}
