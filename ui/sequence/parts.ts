import { clockJump } from './clock-jumps.ts';
import type { Line } from './part-layout.ts';
import type { Arrow } from './sequence.ts';

/** A piece of a diagram, drawn and printed as a whole. */
export interface Part {
  readonly lines: readonly Line[];
  /** Whether the names of the participants are drawn above it. */
  readonly hasHeads: boolean;
}

/** The most lines on a printed page. */
const MOST_LINES = 28;
/** The names of the participants are repeated after this number of lines. */
const HEADS_AFTER = 14;

/** Splits the arrows of each section into parts, with the jumps of the clock between the arrows. */
export function partsOf(sections: readonly (readonly Arrow[])[]): readonly (readonly Part[])[] {
  let before: Arrow | undefined;
  let sinceHeads = HEADS_AFTER;
  return sections.map((arrows) => {
    const lines: Line[] = [];
    for (const arrow of arrows) {
      const clock = clockJump(before, arrow);
      lines.push(...(clock === undefined ? [] : [{ clock }]), { arrow });
      before = arrow;
    }
    const pieces = Array.from({ length: Math.ceil(lines.length / MOST_LINES) }, (_, index) =>
      lines.slice(index * MOST_LINES, (index + 1) * MOST_LINES),
    );
    return pieces.map((piece) => {
      const hasHeads = sinceHeads >= HEADS_AFTER;
      sinceHeads = (hasHeads ? 0 : sinceHeads) + piece.length;
      return { lines: piece, hasHeads };
    });
  });
}
