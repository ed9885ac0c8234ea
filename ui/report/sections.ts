import type { Section } from '../sequence/mermaid.ts';
import { type Arrow, type Sequence, sequenceOf } from '../sequence/sequence.ts';
import type { Entry, Recorded } from './recorded.ts';

interface ScenarioDiagram {
  readonly sequence: Sequence;
  readonly sections: readonly Section[];
}

/** The sequence of a scenario, with a section for each step or note with hops, and for each fault. */
export function diagramOf({ entries, hops }: Recorded): ScenarioDiagram {
  const sequence = sequenceOf(hops);
  const ahead = clockDifference(entries, sequence.arrows);
  const steps = entries.filter((entry) => 'step' in entry);
  const stepOf = new Map(entries.flatMap((entry, place) => ('step' in entry ? [[entry.step.correlationId, place] as const] : [])));
  let place = 0;
  // An arrow belongs to the first entry that ended after it began. Milliseconds are too coarse for the request of a step: its correlation id decides.
  const during = Map.groupBy(sequence.arrows, ({ kind, start, hop }) => {
    while (place < entries.length && start >= (entries[place]?.until ?? 0) + ahead) place += 1;
    if (kind === 'request') place = stepOf.get(hop.correlationId) ?? place;
    return place;
  });
  const sections = [...entries, undefined].flatMap((entry, index): Section[] => {
    const arrows = during.get(index) ?? [];
    const isFault = entry !== undefined && 'note' in entry && entry.kind === 'fault';
    if (arrows.length === 0 && !isFault) return [];
    return [{ title: entry === undefined ? 'After the last step' : titleOf(entry, steps), arrows }];
  });
  return { sequence, sections };
}

const titleOf = (entry: Entry, steps: readonly Entry[]): string =>
  'step' in entry ? `${steps.indexOf(entry) + 1}. ${entry.step.title}` : `${entry.kind === 'fault' ? '⚡ ' : ''}${entry.note}`;

/**
 * How far the estate's wall clock is ahead of ours, in milliseconds: the smallest difference that places the request of each
 * step within the step.
 */
function clockDifference(entries: readonly Entry[], arrows: readonly Arrow[]): number {
  const starts = new Map(arrows.filter(({ kind }) => kind === 'request').map(({ hop, start }) => [hop.correlationId, start]));
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const start = 'step' in entry ? starts.get(entry.step.correlationId) : undefined;
    if (start === undefined) continue;
    least = Math.max(least, start - entry.until);
    most = Math.min(most, start - entry.since);
  }
  if (least <= 0 && 0 <= most) return 0;
  return least > 0 ? least : most;
}
