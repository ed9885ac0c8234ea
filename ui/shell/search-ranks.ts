interface Ranked {
  readonly group: string;
  readonly title: string;
  readonly note?: string | undefined;
}

/**
 * The results by group. The results whose name, or whose id or code in the note, is the text come first, then the results whose name
 * begins with the text. A group is as early as its first result; groups and results of one rank keep their order.
 * @param most results of a group
 */
export function ranked<Found extends Ranked>(found: readonly Found[], text: string, most: number): readonly Found[] {
  const wanted = inWords(text);
  const sorted = found.toSorted((one, other) => rankOf(one, wanted) - rankOf(other, wanted));
  return [...Map.groupBy(sorted, ({ group }) => group).values()].flatMap((ofGroup) => ofGroup.slice(0, most));
}

function rankOf({ title, note = '' }: Ranked, wanted: string): number {
  const name = inWords(title);
  if (wanted === '' || name === wanted || note.split(' · ').some((part) => inWords(part) === wanted)) return 0;
  return name.startsWith(wanted) ? 1 : 2;
}

/** Lower case, with blanks between the words: people type `customer blocked` for `customer: blocked`. */
const inWords = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(' ');
