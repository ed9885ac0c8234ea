import { clockJump } from './clock-jumps.ts';
import type { Arrow } from './sequence.ts';
import { type Columns, type Layout, type Line, layOut } from './sequence-layout.ts';

/** The most lines on a printed page. */
const MOST_LINES = 28;
/** The names of the participants are repeated after this number of lines. */
const HEADS_AFTER = 14;

/** Splits the arrows of each section into pieces that are printed as a whole, with the jumps of the clock between the arrows. */
export function partsOf(sections: readonly (readonly Arrow[])[], columns: Columns): readonly (readonly Layout<Arrow>[])[] {
  let before: Arrow | undefined;
  let sinceHeads = HEADS_AFTER;
  let first = 1;
  return sections.map((arrows) => {
    const lines = arrows.flatMap((arrow): Line<Arrow>[] => {
      const note = clockJump(before, arrow);
      before = arrow;
      return note === undefined ? [arrow] : [{ note }, arrow];
    });
    return Array.from({ length: Math.ceil(lines.length / MOST_LINES) }, (_, index) => {
      const piece = lines.slice(index * MOST_LINES, (index + 1) * MOST_LINES);
      const hasHeads = sinceHeads >= HEADS_AFTER;
      sinceHeads = (hasHeads ? 0 : sinceHeads) + piece.length;
      const part = layOut(piece, columns, { callerOf: ({ caller }) => caller, hasHeads, first });
      first += part.messages.length;
      return part;
    });
  });
}
