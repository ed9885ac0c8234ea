import { z } from 'zod';
import type { DueItem } from '../store/ports/due-work.ts';

/** A kind of due work: its name in the store, and the payload of its items. */
export interface DueWork<Payload = unknown> {
  readonly kind: string;
  readonly payload: z.ZodType<Payload>;
}

/** Most due work needs its key alone. */
const NoPayload = z.union([z.null(), z.strictObject({})]);

/** Declares a kind of due work. Items that an earlier version stored must fit its schema, too. */
export function defineDueWork(kind: string): DueWork<z.output<typeof NoPayload>>;
export function defineDueWork<Payload>(kind: string, payload: z.ZodType<Payload>): DueWork<Payload>;
export function defineDueWork(kind: string, payload: z.ZodType = NoPayload): DueWork {
  return { kind, payload };
}

/** A due item that runs. Work before the reply has an `occasion` in place of `seq`, which a commit does not return. */
export type RunningItem = Omit<DueItem, 'seq'> & Partial<Pick<DueItem, 'seq'>>;

/** A due item as its handler gets it. */
export interface ParsedDueItem<Payload> extends Omit<RunningItem, 'payload'> {
  readonly payload: Payload;
}

/** @throws Error naming the member that does not fit. The item is then retried, and finally parked */
export function parsePayload<Payload>(kind: string, schema: z.ZodType<Payload>, stored: unknown): Payload {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`The payload of ${kind} does not fit at /${issue?.path.join('/') ?? ''}: ${issue?.message}.`);
}
