/** Deeper JSON could overflow the stack of recursive code. */
export const JSON_LEVELS = 64;
/** Members per object, and items per array. */
export const JSON_MEMBERS = 1_000;
/** Values of a whole text: objects, arrays, and the members and items after the first. Code that visits each of them takes a turn. */
export const JSON_VALUES = 100_000;

interface JsonLimits {
  readonly levels: number;
  readonly members?: number;
  readonly values?: number;
}

/** Values of a file of this length: a value of few characters takes many times its length once it is parsed. */
export const mostValues = (characters: number): number => 50_000 + characters / 6;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The limit that a JSON text exceeds. One pass before parsing, without recursion. Invalid JSON may pass; the parser refuses it. */
export function exceededLimit(
  json: string,
  { levels, members = Number.POSITIVE_INFINITY, values = Number.POSITIVE_INFINITY }: JsonLimits,
): keyof JsonLimits | undefined {
  let level = 0;
  let found = 0;
  const commas: number[] = [0];
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfString(json, at);
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      level += 1;
      found += 1;
      if (level > levels) return 'levels';
      if (found > values) return 'values';
      commas[level] = 0;
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) level = Math.max(0, level - 1);
    else if (character === COMMA) {
      const before = commas[level] ?? 0;
      if (before + 1 >= members) return 'members';
      found += 1;
      if (found > values) return 'values';
      commas[level] = before + 1;
    }
  }
  return undefined;
}

/** @returns the index of the closing quote, or the length of the text without one */
function endOfString(json: string, opening: number): number {
  for (let at = json.indexOf('"', opening + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}
