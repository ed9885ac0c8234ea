import { z } from 'zod';
import type { Retailer } from '../../catalog/retailer.ts';
import { type Swap, SwapMembers, type SwappableApplication, swappableNames } from '../../catalog/swap.ts';
import { defineCollection, type Seed } from '../../store/collections.ts';
import { retailers } from '../../work/figures.ts';
import type { RecordedAnswer } from './kept-answers.ts';

export const StoredSwap = SwapMembers.extend({
  id: z.literal('swap'),
  version: z.int(),
  /** From the variables of the estate: its address needs no permission. Otherwise from the request that created the rehearsal. */
  isDefault: z.boolean(),
}).meta({ id: 'StoredSwap' });
export type StoredSwap = z.output<typeof StoredSwap>;

/** How an application is swapped, stored with its data. The row of the retailer names the swapped applications. */
export const swaps = defineCollection({ name: 'swap', schema: StoredSwap });

/** The data that the control plane seeds a swapped application with. */
export type SeededSwap = Pick<StoredSwap, 'isDefault'> & Swap;

export const seedOfSwap = (swap: SeededSwap): NonNullable<Seed['objects']>[number] => ({
  of: swaps,
  rows: [{ ...swap, id: 'swap', version: 1 }],
});

/** By application. */
export type SeededSwaps = { readonly [App in SwappableApplication]?: SeededSwap };

/** Each application has the figures of the retailer, and the names of the applications with real systems. */
export function seedOfRetailer(retailer: Retailer, seeded: SeededSwaps): NonNullable<Seed['objects']>[number] {
  const named = swappableNames.filter((name) => seeded[name]);
  const swapped = named.filter((name) => seeded[name]?.mode !== 'shadow');
  const shadowed = named.filter((name) => seeded[name]?.mode === 'shadow');
  const row = { ...retailer, version: 1, ...(swapped.length > 0 && { swapped }), ...(shadowed.length > 0 && { shadowed }) };
  return { of: retailers, rows: [row] };
}

const Violation = z.object({ name: z.string(), api: z.string(), count: z.int(), detail: z.string(), at: z.string() });

export const SwapLog = z.object({
  id: z.literal('log'),
  version: z.int(),
  calls: z.int(),
  failed: z.int(),
  last: z.object({ api: z.string(), status: z.int(), at: z.string(), durationMs: z.number() }).optional(),
  violations: z.array(Violation),
});
export type SwapLog = z.output<typeof SwapLog>;

/** Counts of the answers of a real system in a world. One row, stored with the data of the swapped application. */
export const swapLogs = defineCollection({ name: 'swap-log', schema: SwapLog });

export const EMPTY_LOG: Omit<SwapLog, 'version'> = { id: 'log', calls: 0, failed: 0, violations: [] };

/** The calls of a real system with their answers, in sequence. */
export const keptRecords = defineCollection({
  name: 'kept-answers',
  schema: z.object({ id: z.string(), version: z.int(), recorded: z.custom<RecordedAnswer>() }),
});

/** How many answers a world has recorded, and of how many characters, or how often it has used the answers to one request. */
export const keptUses = defineCollection({
  name: 'kept-uses',
  schema: z.object({ id: z.string(), version: z.int(), count: z.int(), characters: z.int().optional() }),
});

/** Ids of the world by their places in the kept answers. One row. */
export const keptIds = defineCollection({
  name: 'kept-ids',
  schema: z.object({ id: z.string(), version: z.int(), bound: z.record(z.string(), z.string()) }),
});
