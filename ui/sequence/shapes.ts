/** Pixels of the bar on a callee. */
export const BAR = 9;

/** The shaft of an arrow, which ends at the bar of the callee. A hop that an application causes itself is a loop. */
export function shaft(fromX: number, toX: number, y: number, barX: number): string {
  if (fromX === toX) return `M${barX + BAR} ${y - 3}h14v7h-7`;
  return fromX < toX ? `M${fromX + BAR / 2} ${y}H${barX - 6}` : `M${fromX - BAR / 2} ${y}H${barX + BAR + 6}`;
}

/** The tip of an arrow. */
export function tip(fromX: number, toX: number, y: number, barX: number): string {
  if (fromX < toX) return `M${barX} ${y}l-7 -4v8z`;
  return `M${barX + BAR} ${fromX === toX ? y + 4 : y}l7 -4v8z`;
}

/** The lines of a column's name: a name that is too long for its box takes two. @param character estimated pixels of one */
export function inLines(title: string, box: number, character: number): readonly string[] {
  const cut = title.indexOf(' ');
  return cut > 0 && title.length * character > box ? [title.slice(0, cut), title.slice(cut + 1)] : [title];
}

/** The y of a line of a column's name. */
export const lineY = (lines: readonly string[], index: number): number => (lines.length === 1 ? 25 : 18 + index * 13);
