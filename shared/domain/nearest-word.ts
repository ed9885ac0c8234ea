/** The valid word that a user probably meant. */
export function nearestWord(given: string, words: readonly string[]): string | undefined {
  const [nearest] = words
    .map((word) => ({ word, distance: distanceOf(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(Math.max(word.length, given.length) * 0.4)))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.word ?? words.find((word) => given.length > 2 && word.includes(given));
}

/**
 * Whether a name is a known one with a typing error: one character, or two in a long name. Both begin with the same letter and have words
 * joined by `_`, so that names that resemble each other by chance stay distinct.
 */
export function isMisspelt(given: string, known: string): boolean {
  if (!given.includes('_') || given[0]?.toUpperCase() !== known[0]?.toUpperCase()) return false;
  return distanceOf(given.toUpperCase(), known.toUpperCase()) <= (known.length < 12 ? 1 : 2);
}

/** A sentence about an unknown word: with the nearest one, or else with all of a short list. */
export function unknownWord(what: string, given: string, words: readonly string[], list?: string): string {
  const nearest = nearestWord(given, words);
  const unknown = `There is no ${what} ${given}`;
  if (nearest !== undefined) return `${unknown}; did you mean ${nearest}?`;
  if (list !== undefined) return `${unknown}; ${list} lists them.`;
  return `${unknown}; choose one of ${words.join(', ')}.`;
}

/** Number of inserted, deleted, replaced and swapped characters between two words. */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const [above = [], row = [i]] = [rows[i - 1], [i]];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : replaced;
      row[j] = Math.min(replaced, swapped, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}
