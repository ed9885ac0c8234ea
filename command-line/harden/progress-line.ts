import { span } from '../../rehearsal/harden/words.ts';
import { counted } from '../../ui/kit/format.ts';

/** How far a run is. */
export interface RunProgress {
  readonly done: number;
  /** Cells of an earlier run that this one continues. */
  readonly doneBefore: number;
  readonly planned: number;
  readonly findings: number;
  /** Time since the first try began, in milliseconds. */
  readonly elapsedMs: number;
}

/** `312 of 1,200 tried, about 2 min left, 3 findings` */
export function progressLine({ done, doneBefore, planned, findings, elapsedMs }: RunProgress): string {
  const left = done === doneBefore || done >= planned ? [] : [`about ${span((elapsedMs / (done - doneBefore)) * (planned - done))} left`];
  const found = findings === 0 ? 'no finding yet' : counted(findings, 'finding');
  return [`${done.toLocaleString('en')} of ${planned.toLocaleString('en')} tried`, ...left, found].join(', ');
}
