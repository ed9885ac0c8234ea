/** The known name that is nearest to a misspelled one; undefined when none is similar. */
export function nearest(wrong: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(wrong.length / 3));
  const [best] = names
    .map((name) => ({ name, distance: name.startsWith(wrong) && wrong.length > 2 ? 0 : distanceOf(wrong, name) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

/** Number of letters to insert, remove or replace. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1];
    for (let column = 1; column <= to.length; column++) {
      const kept = (row[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      next.push(Math.min(kept, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
