import type { Output } from '../data/data.ts';

type Snapshot = Output<'list-snapshots'>['items'][number];

/** A state of the rehearsal that a fork can begin with. */
export interface KeptPoint {
  /** Undefined: the rehearsal as it is now. */
  readonly snapshot: string | undefined;
  /** Epoch milliseconds of the rehearsal's clock. */
  readonly at: number;
}

export interface ForkPoints {
  /** The nearest point at or before the instant. Undefined: none is early enough. */
  readonly nearest: KeptPoint | undefined;
  /** The first snapshot after the instant, and now. */
  readonly later: readonly KeptPoint[];
}

interface Asked {
  /** Epoch milliseconds of the rehearsal's clock. */
  readonly at: number;
  readonly now: number;
  readonly rehearsal: string;
  /** Wall time of the last reset: older snapshots are of another world. */
  readonly since: string;
}

/** What a fork from an instant can begin with. */
export function forkPoints(snapshots: readonly Snapshot[], { at, now, rehearsal, since }: Asked): ForkPoints {
  const present: KeptPoint = { snapshot: undefined, at: now };
  const kept = snapshots
    .filter((one) => one.rehearsal === rehearsal && one.takenAt >= since)
    .toSorted((one, other) => one.now.localeCompare(other.now) || one.takenAt.localeCompare(other.takenAt))
    .map(({ name, now: instant }): KeptPoint => ({ snapshot: name, at: Date.parse(instant) }));
  if (at >= now) return { nearest: present, later: [] };
  const after = kept.find((point) => point.at > at);
  return { nearest: kept.findLast((point) => point.at <= at), later: after ? [after, present] : [present] };
}
