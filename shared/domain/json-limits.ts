/** Deeper JSON could overflow the stack of recursive code. */
export const JSON_LEVELS = 64;
/** Members per object, and items per array. */
export const JSON_MEMBERS = 1_000;
/** Values of a whole text: objects, arrays, and the members and items after the first. Code that visits each of them takes a turn. */
export const JSON_VALUES = 100_000;

/**
 * Members of a long text that make a new kind of object: a new name, or a known name after other members. The parser makes a description of
 * each kind, which takes a hundred times as long as a member of a known kind.
 */
export const JSON_KINDS = 5_000;
/**
 * Kinds of a file. The snapshot of a world of forty orders has 1,100 in 8 MB, and a larger one has no more. So many kinds take the parser up to
 * half a second, and a file of the permitted length could have enough for 20 seconds.
 */
export const FILE_KINDS = 50_000;
/** Shorter texts cannot have so many kinds that they take long. Counting takes longer than the rest of the check. */
const SHORT = 32_768;

interface JsonLimits {
  readonly levels: number;
  /** Of an object, and items of a list. */
  readonly members?: number;
  /** Of an object only. */
  readonly named?: number;
  readonly values?: number;
  readonly kinds?: number;
}

/** Values of a file of this length: a value of few characters takes many times its length once it is parsed. */
export const mostValues = (characters: number): number => 50_000 + characters / 6;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const NONE = Number.POSITIVE_INFINITY;

/** The limit that a JSON text exceeds. One pass before parsing, without recursion. Invalid JSON may pass; the parser refuses it. */
export function exceededLimit(
  json: string,
  { levels, members = NONE, named = NONE, values = NONE, kinds = NONE }: JsonLimits,
): keyof JsonLimits | undefined {
  let level = 0;
  let found = 0;
  const commas: number[] = [0];
  const colons: number[] = [0];
  const kindAt: number[] = [0];
  const nextKind = kinds === NONE || json.length <= SHORT ? undefined : countKinds(json);
  let [name, afterName] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) {
      name = at;
      at = endOfString(json, at);
      afterName = at;
    } else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      level += 1;
      found += 1;
      if (level > levels) return 'levels';
      if (found > values) return 'values';
      commas[level] = 0;
      colons[level] = 0;
      kindAt[level] = 0;
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) level = Math.max(0, level - 1);
    else if (character === COMMA) {
      const before = commas[level] ?? 0;
      if (before + 1 >= members) return 'members';
      found += 1;
      if (found > values) return 'values';
      commas[level] = before + 1;
    } else if (character === COLON) {
      const before = colons[level] ?? 0;
      if (before >= named) return 'named';
      colons[level] = before + 1;
      if (nextKind) {
        const kind = nextKind(kindAt[level] ?? 0, name, afterName);
        if (kind > kinds) return 'kinds';
        kindAt[level] = kind;
      }
    }
  }
  return undefined;
}

/** More than any number of names. */
const KIND = 2 ** 24;

/** @returns a function for the number of the kind that an object of a kind becomes with a further member, whose name is in quotes from `start` to `end` */
function countKinds(json: string) {
  const names = new Map<string, number>();
  const kinds = new Map<number, number>();
  // Most objects of a list are alike, and comparing a name with the last one after the same members is faster than finding it.
  const lastName: string[] = [];
  const lastKind: number[] = [];
  return (before: number, start: number, end: number): number => {
    const last = lastName[before];
    if (last !== undefined && last.length === end + 1 - start && json.startsWith(last, start)) return lastKind[before] ?? 0;
    const name = json.slice(start, end + 1);
    const number = names.get(name) ?? names.size;
    names.set(name, number);
    const kind = kinds.get(before * KIND + number) ?? kinds.size + 1;
    kinds.set(before * KIND + number, kind);
    lastName[before] = name;
    lastKind[before] = kind;
    return kind;
  };
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
