import { inOneLine } from '../../shared/domain/printable.ts';
import { counted } from '../kit/format.ts';
import { type Comparison, MOST, type Recorded } from './recorded.ts';

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Wall time of runs, which may overlap. */
export const wallTimeOf = (runs: readonly Pick<Recorded, 'startedAt' | 'ms'>[]): number =>
  runs.length === 0 ? 0 : Math.max(...runs.map((run) => run.startedAt + run.ms)) - Math.min(...runs.map((run) => run.startedAt));

/** Names of the faults that struck, sorted by their first strike. */
const struckFaults = ({ hops }: Recorded): readonly string[] => [...new Set(hops.flatMap(({ faults }) => faults))];

/** `12 steps, 38 hops, 14 events, ⚡ lost` */
export function factsOf(run: Recorded): string {
  const { entries, hops, events, omitted, rehearsal } = run;
  const steps = entries.filter((entry) => 'step' in entry).length;
  const faults = struckFaults(run);
  if (run.comparison) return comparedWords(run.comparison);
  // A check of a real system has no journal.
  if (rehearsal === undefined) return counted(steps, 'step');
  return [
    counted(steps, 'step'),
    counted(hops.length + omitted.hops, 'hop'),
    counted(events.length + omitted.events, 'event'),
    ...(faults.length > 0 ? [`⚡ ${faults.join(', ')}`] : []),
  ].join(', ');
}

/** `40 calls compared, 38 equal, 1 skipped` */
const comparedWords = ({ compared, equal, skipped }: Comparison): string =>
  [`${counted(compared, 'call')} compared`, `${equal} equal`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ');

/** A sentence for each part that the report leaves out. */
export const omissions = ({ omitted }: Recorded): readonly string[] => [
  ...(omitted.entries > 0 ? [`${counted(omitted.entries, 'more step or note', 'more steps and notes')} are not in this report.`] : []),
  ...(omitted.hops > 0 ? [`The diagram ends early: ${counted(omitted.hops, 'more hop')} are not in this report.`] : []),
  ...(omitted.events > 0 ? [`${counted(omitted.events, 'more event')} are not in this report.`] : []),
  ...(omitted.journal ? ['The diagram begins late: the journal had reached its limit and no longer had the older hops.'] : []),
];

/** How to open the world of a failed scenario, or why it cannot be opened. */
export function worldSentence({ world }: Recorded): string | undefined {
  if (!world) return undefined;
  return 'file' in world
    ? `estate open ${world.file} opens the world at this failure.`
    : `The world at this failure is not kept: ${world.missing}`;
}

/** The violations of each broken invariant. */
export const violations = ({ invariants }: Recorded): readonly string[] =>
  invariants
    .filter(({ holds }) => !holds)
    .flatMap(({ title, violations: found }) => [`${title}:`, ...found.slice(0, MOST.violations).map((one) => `  ${inOneLine(one)}`)]);
