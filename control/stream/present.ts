import { instant, type Ms } from '../../shared/domain/time.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import type { ControlStore } from '../../shared/store/ports/estate-store.ts';
import type { Runs } from '../runs/runs.ts';

/** Tolerated deviation of a clock from wall time, because reads take a while. */
const TOLERANCE_MS: Ms = 1_000;

/** The present data of a topic. Undefined when it has not changed since its last frame. */
type Tell = (view: WorldView) => Promise<unknown> | unknown;

/** The topics without a log: each sends its present state first, then every change. */
export function createPresent({ control, runs }: { readonly control: ControlStore; readonly runs: Runs }) {
  let toldClock: { readonly now: Ms; readonly flowing: boolean; readonly wall: Ms } | undefined;
  let toldFaults = '';
  let toldRuns = '';

  const tellClock: Tell = ({ now, flowing }) => {
    const wall = Date.now();
    const expected = toldClock && (flowing ? toldClock.now + wall - toldClock.wall : toldClock.now);
    const isSame = expected !== undefined && toldClock?.flowing === flowing && Math.abs(now - expected) <= (flowing ? TOLERANCE_MS : 0);
    if (isSame) return undefined;
    toldClock = { now, flowing, wall };
    return { now: instant(now), flowing };
  };

  const tellFaults: Tell = async ({ world }) => {
    const { revision, rules } = await control.faults(world);
    const present = { revision, hits: rules.reduce((sum, { hits }) => sum + hits, 0) };
    const text = JSON.stringify(present);
    if (text === toldFaults) return undefined;
    toldFaults = text;
    return present;
  };

  const tellRuns: Tell = async () => {
    const { revision, items } = await runs.list();
    // A run whose gateway died changes without a new revision.
    const text = `${revision} ${items.map(({ state }) => state).join()}`;
    if (text === toldRuns) return undefined;
    toldRuns = text;
    return items;
  };

  return { clock: tellClock, faults: tellFaults, runs: tellRuns } as const;
}

export const PRESENT_TOPICS = ['clock', 'faults', 'runs'] as const;
