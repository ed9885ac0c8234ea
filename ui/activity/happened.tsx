import { clockTime } from '../data/data.ts';
import { wallTime } from '../kit/kit.ts';

interface HappenedProps {
  /** The rehearsal's clock. */
  readonly at: string;
  /** Wall time. */
  readonly startedAt: string;
}

/** When a trace or a hop began, on the rehearsal's clock; the tooltip has the wall time. */
export const Happened = ({ at, startedAt }: HappenedProps) => <span title={`${wallTime(startedAt)} your time`}>{clockTime(at)}</span>;
