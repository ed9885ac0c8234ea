import { z } from 'zod';
import { defineCollection } from '../../store/collections.ts';

const FoundDifference = z.object({
  api: z.string(),
  pointer: z.string(),
  count: z.int(),
  ours: z.string(),
  theirs: z.string(),
  requestId: z.string(),
  correlationId: z.string(),
  at: z.string(),
});

const OperationCounts = z.object({ compared: z.int(), equal: z.int(), skipped: z.int() });

export const FidelityLog = z.object({
  id: z.literal('fidelity'),
  version: z.int(),
  /** The calls of each process that it has not compared, and the wall time of its latest change. */
  queues: z.record(z.string(), z.object({ waiting: z.int(), at: z.string() })),
  /** By operation, or `event:<name>`. */
  operations: z.record(z.string(), OperationCounts),
  differences: z.array(FoundDifference),
});
export type FidelityLog = z.output<typeof FidelityLog>;

/** Counts of the comparisons with a real system in the mode shadow. One row, stored with the data of its application. */
export const fidelityLogs = defineCollection({ name: 'fidelity', schema: FidelityLog });

export const EMPTY_FIDELITY: Omit<FidelityLog, 'version'> = {
  id: 'fidelity',
  queues: {},
  operations: {},
  differences: [],
};

/** Time that a process has to count a comparison, after the limit of the real system's answer. */
const GRACE_MS = 10_000;

/** Calls whose comparison has not ended. A process that changes nothing for the time of an answer has ended, and its calls are lost. */
export function notCompared({ queues }: Pick<FidelityLog, 'queues'>, timeoutMs: number, now = Date.now()) {
  const counts = { waiting: 0, lost: 0 };
  for (const { waiting, at } of Object.values(queues)) {
    counts[now - Date.parse(at) > timeoutMs + GRACE_MS ? 'lost' : 'waiting'] += waiting;
  }
  return counts;
}

/** An id of the real system in the mode shadow, by ours. */
export const shadowIds = defineCollection({
  name: 'shadow-ids',
  schema: z.object({ id: z.string(), version: z.int(), theirs: z.string() }),
});
