import type { PublishedEvent } from '../events/event-row.tsx';
import type { EventMembers } from '../objects/object-history.ts';
import { requestOf, type TraceTree } from '../sequence/trace-tree.ts';
import type { Part } from './explanation.ts';

interface Outcome {
  readonly type: string;
  readonly state: string;
}

/**
 * The final state of the object that a trace is about: the one that its request names, otherwise the one that it changed first.
 * Undefined: it changed no object with a life cycle.
 */
export function outcomeOf({ rows }: TraceTree, items: readonly PublishedEvent[]): Outcome | undefined {
  const left = new Map<string, { readonly version: number; readonly state: string }>();
  for (const { event } of items) {
    const { subject, aggregateversion: version = 0, data } = event as unknown as EventMembers;
    const state = data?.object?.state;
    if (subject === undefined || state === undefined || version < (left.get(subject)?.version ?? 0)) continue;
    left.set(subject, { version, state });
  }
  const named = new Set(requestOf(rows)?.hop.path.split(/[/?]/));
  const subjects = [...left.keys()];
  const subject = subjects.find((one) => named.has(one.slice(one.indexOf('/') + 1))) ?? subjects[0];
  const state = subject === undefined ? undefined : left.get(subject)?.state;
  return subject === undefined || state === undefined ? undefined : { type: subject.slice(0, subject.indexOf('/')), state };
}

/** `Confirm Order succeeded in 12 ms; the order ended confirmed.` */
export function withOutcome(sentence: readonly Part[], outcome: Outcome | undefined): readonly Part[] {
  const last = sentence.at(-1);
  if (!outcome || typeof last !== 'string') return sentence;
  const type = outcome.type.replaceAll('-', ' ');
  return [...sentence.slice(0, -1), `${last.replace(/\.$/, '')}; the ${type} ended `, { strong: outcome.state }, '.'];
}
