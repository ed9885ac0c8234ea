import { shortened } from './text.ts';

/** Longer words are not compared: the cost grows with the square of the length. */
const LONGEST_WORD = 100;
/** Number of unknown names in one answer that are compared with the valid ones. */
export const MOST_COMPARED = 5;
/** Number of valid words that a sentence lists. */
const MOST_LISTED = 100;

/** The valid word that a user probably meant. */
export function nearestWord(given: string, words: readonly string[]): string | undefined {
  if (given.length > LONGEST_WORD) return undefined;
  const sought = given.toLowerCase();
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const most = Math.max(1, Math.floor(Math.max(word.length, given.length) * 0.4));
    const distance = distanceWithin(Math.min(most, least - 1), sought, word.toLowerCase());
    if (distance !== undefined) [nearest, least] = [word, distance];
  }
  return nearest ?? words.find((word) => given.length > 2 && word.includes(given));
}

/**
 * Whether a name is a known one with a typing error: one character, or two in a long name. Both begin with the same letter and have words
 * joined by `_`, so that names that resemble each other by chance stay distinct.
 */
export function isMisspelt(given: string, known: string): boolean {
  if (!given.includes('_') || given[0]?.toUpperCase() !== known[0]?.toUpperCase()) return false;
  return distanceWithin(known.length < 12 ? 1 : 2, given.toUpperCase(), known.toUpperCase()) !== undefined;
}

/** Whether one character distinguishes two words, or a swap of two. */
export const isOneEditFrom = (known: string, given: string): boolean => distanceWithin(1, known, given) === 1;

/** A sentence about an unknown word: with the nearest one, or else with all of a short list. */
export function unknownWord(what: string, given: string, words: readonly string[], list?: string): string {
  const nearest = nearestWord(given, words);
  const unknown = `There is no ${what} ${shortened(given, LONGEST_WORD)}`;
  if (nearest !== undefined) return `${unknown}; did you mean ${nearest}?`;
  if (list !== undefined) return `${unknown}; ${list} lists them.`;
  const rest = words.length - MOST_LISTED;
  return `${unknown}; choose one of ${words.slice(0, MOST_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

/**
 * Number of inserted, deleted, replaced and swapped characters between two words. A swap reads the row before the previous one, so three
 * rows of numbers are kept.
 * @returns undefined above `most`
 */
function distanceWithin(most: number, a: string, b: string): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined;
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  let leastAbove = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      const distance = Math.min(replaced, swapped, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      row.push(distance);
      least = Math.min(least, distance);
    }
    if (least > most && leastAbove > most) return undefined;
    [before, above, leastAbove] = [above, row, least];
  }
  const distance = above.at(-1) ?? 0;
  return distance <= most ? distance : undefined;
}
