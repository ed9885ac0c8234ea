import type { ChosenScenario } from './choice.ts';
import { type Done, type Run, runOne } from './run-one.ts';

/** Scenarios of the estate that run at the same time: most of a scenario is waiting for events. */
const SIDE_BY_SIDE = 4;

/**
 * Runs scenarios until an interruption. A scenario of a user's file runs alone, because it may use a port or a variable of this process.
 * Lines are printed as if one scenario followed the other.
 * @returns the scenarios that ran, in their order
 */
export async function runAll(chosen: readonly ChosenScenario[], run: Omit<Run, 'place'>): Promise<readonly Done[]> {
  const done: Done[] = [];
  const { writeOf, ended } = inOrder(run.write);
  const waiting = [...chosen.entries()];

  async function runNext(isOwn: boolean): Promise<void> {
    for (;;) {
      const [next] = waiting;
      if (run.signal.aborted || next === undefined || (next[1].file !== undefined) !== isOwn) return;
      waiting.shift();
      const [index, one] = next;
      const place = chosen.length > 1 ? `${index + 1} of ${chosen.length}  ` : '';
      done[index] = await runOne(one, { ...run, place, write: writeOf(index) });
      ended(index);
    }
  }

  // The steps of a scenario are printed as they happen.
  await Promise.all(Array.from({ length: run.isDetailed ? 1 : SIDE_BY_SIDE }, () => runNext(false)));
  await runNext(true);
  return done;
}

/** Holds back the text of a scenario until the earlier scenarios have ended. */
function inOrder(write: (text: string) => void) {
  const held = new Map<number, string[]>();
  const over = new Set<number>();
  let first = 0;
  return {
    writeOf:
      (index: number) =>
      (text: string): void => {
        if (index <= first) write(text);
        else held.set(index, [...(held.get(index) ?? []), text]);
      },
    ended(index: number): void {
      over.add(index);
      while (over.has(first)) {
        first += 1;
        for (const text of held.get(first) ?? []) write(text);
        held.delete(first);
      }
    },
  };
}
