/** Maximum number of characters of an answer or a resource: 2,000 tokens of about four characters. */
export const MOST_CHARACTERS = 8_000;

/** Characters that an answer needs in addition to its facts: the sentence `leftOut`, and names of members. */
const RESERVED = 400;

/** How much of a value is shown: entries of a list, members of an object, characters of a text. */
interface Measure {
  readonly entries: number;
  readonly members: number;
  readonly characters: number;
  /** Values below this depth are folded, unless they are small, such as an amount of money. */
  readonly depth: number;
}

/** An entry of a list in the body of an answer is at this depth, so its own lists and objects are folded. */
const ENTRY = 3;
const SMALL = 80;

/**
 * From generous to scarce. The first measure whose result is short enough applies. Details of entries are left out before whole entries
 * are.
 */
const MEASURES: readonly Measure[] = [
  ...[200, 50, 20].map((entries) => ({ entries, members: 200, characters: 2_000, depth: 100 })),
  ...[50, 20, 10].map((entries) => ({ entries, members: 200, characters: 1_000, depth: ENTRY })),
  ...[10, 5, 3, 1].map((entries) => ({ entries, members: 40, characters: 200, depth: ENTRY })),
  { entries: 1, members: 12, characters: 80, depth: 2 },
  { entries: 0, members: 8, characters: 40, depth: 1 },
];

interface Shown {
  readonly value: unknown;
  readonly isCut: boolean;
}

/** Shortens a value until its JSON has at most this number of characters. A count replaces what is left out. */
export function shorten(value: unknown, most: number): Shown {
  for (const measure of MEASURES) {
    const shown = cut(value, measure, 0);
    if (lengthOf(shown.value) <= most) return shown;
  }
  return { value: `${JSON.stringify(value).slice(0, most / 2)}…`, isCut: true };
}

/** JSON leaves undefined out. */
const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

function cut(value: unknown, measure: Measure, depth: number): Shown {
  if (typeof value === 'string') {
    if (value.length <= measure.characters) return { value, isCut: false };
    return { value: `${value.slice(0, measure.characters)}… ${value.length - measure.characters} more characters`, isCut: true };
  }
  if (typeof value !== 'object' || value === null) return { value, isCut: false };
  if (depth > measure.depth && lengthOf(value) > SMALL) {
    const [count, what] = Array.isArray(value) ? [value.length, 'entries'] : [Object.keys(value).length, 'members'];
    return { value: `… ${count} ${what}`, isCut: true };
  }
  if (Array.isArray(value)) {
    const entries = value.slice(0, measure.entries).map((entry) => cut(entry, measure, depth + 1));
    const more = value.length - entries.length;
    const shown = entries.map((entry) => entry.value);
    return { value: more > 0 ? [...shown, `… ${more} more`] : shown, isCut: more > 0 || entries.some(({ isCut }) => isCut) };
  }
  const all = Object.entries(value);
  const members = all.slice(0, measure.members).map(([name, member]) => [name, cut(member, measure, depth + 1)] as const);
  const more = all.length - members.length;
  const shown = Object.fromEntries(members.map(([name, member]) => [name, member.value]));
  return { value: more > 0 ? { ...shown, '…': `${more} more members` } : shown, isCut: more > 0 || members.some(([, { isCut }]) => isCut) };
}

/** The answer of a tool. `next` names the next step. */
export interface Answer {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly next: string;
  /** How to get what is left out of a long answer. */
  readonly rest?: string;
}

/** The answer as JSON text of at most `MOST_CHARACTERS`. */
export function written({ facts, next, rest = 'ask for less' }: Answer): string {
  const { value, isCut } = shorten(facts, MOST_CHARACTERS - next.length - rest.length - RESERVED);
  const shown = typeof value === 'object' ? value : { text: value };
  return JSON.stringify({ ...shown, ...(isCut && { leftOut: `"…" marks what is left out. To see it: ${rest}.` }), next });
}

/** The part of a value at a JSON Pointer (RFC 6901); of a list, the entries from this place. Undefined when the pointer leads to nothing. */
export function partOf(value: unknown, pointer: string, from: number): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const part = steps.reduce<unknown>(
    (within, step) =>
      typeof within === 'object' && within !== null && Object.hasOwn(within, step) ? Reflect.get(within, step) : undefined,
    value,
  );
  return Array.isArray(part) ? part.slice(from) : part;
}
