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
  begun: z.int(),
  /** By operation, or `event:<name>`. */
  operations: z.record(z.string(), OperationCounts),
  differences: z.array(FoundDifference),
});
export type FidelityLog = z.output<typeof FidelityLog>;

/** Counts of the comparisons with a real system in the mode shadow. One row, stored with the data of its application. */
export const fidelityLogs = defineCollection({ name: 'fidelity', schema: FidelityLog });

export const EMPTY_FIDELITY: Omit<FidelityLog, 'version'> = {
  id: 'fidelity',
  begun: 0,
  operations: {},
  differences: [],
};

/** An id of the real system in the mode shadow, by ours. */
export const shadowIds = defineCollection({
  name: 'shadow-ids',
  schema: z.object({ id: z.string(), version: z.int(), theirs: z.string() }),
});
