/** Parses a text. @returns its JSON value, or why it is not JSON */
export function parsed(text: string): { readonly value?: unknown; readonly error?: string } {
  if (text.trim() === '') return {};
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `The body is not JSON: ${(error as Error).message}.` };
  }
}

/** The JSON pointers of all texts in a value that contain a text. */
export const membersWith = (value: unknown, text: string): readonly string[] =>
  leavesOf(value).flatMap(([pointer, leaf]) => (typeof leaf === 'string' && leaf.includes(text) ? [pointer] : []));

/** A copy of a value, with other values at some JSON pointers. */
export function replaced(value: unknown, values: Readonly<Record<string, string>>, at = ''): unknown {
  if (values[at] !== undefined) return values[at];
  if (Array.isArray(value)) return value.map((entry, place) => replaced(entry, values, `${at}/${place}`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, values, `${at}/${name}`)]));
}

/** Most differences that are listed. */
const MOST = 100;

interface Difference {
  /** Empty: the whole. */
  readonly pointer: string;
  readonly was: string;
  readonly is: string;
}

/** The members of two answers that differ. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const [old, now] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  const shown = (leaves: ReadonlyMap<string, unknown>, pointer: string): string =>
    leaves.has(pointer) ? JSON.stringify(leaves.get(pointer)) : 'absent';
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((pointer) => ({ pointer, was: shown(old, pointer), is: shown(now, pointer) }))
    .filter(({ was, is }) => was !== is)
    .slice(0, MOST);
}

/** The leaves of a value by JSON pointer: texts, numbers and so on, empty objects and empty lists. */
function leavesOf(value: unknown, at = ''): readonly (readonly [pointer: string, leaf: unknown])[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return members.length === 0 ? [[at, value ?? null]] : members.flatMap(([name, member]) => leavesOf(member, `${at}/${name}`));
}
