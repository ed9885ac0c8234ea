import { z } from 'zod';
import { KEPT_VERDICTS } from '../../limits.ts';
import { Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { WaitingFor } from './events.ts';

export const Invariant = z.object({
  id: z.string(),
  title: z.string(),
  holds: z.boolean(),
  basis: z
    .enum(['as-seen', 'not-checked'])
    .optional()
    .describe(
      'as-seen: objects of swapped applications are checked as their real systems returned them. not-checked: records are missing that only a real system has, and `holds` has no meaning. Absent: all records are checked.',
    ),
  checked: z.int().describe('Number of checks made.'),
  reads: z
    .array(z.string())
    .optional()
    .describe('What it has read: types of objects, private records and counters of applications, and events.'),
  violations: z.array(z.string()).describe('Each violation names its records.'),
  waiting: z
    .array(z.string())
    .optional()
    .describe('Only for moving: the actor that each open order waits for, and work that waits for an absent application.'),
});

export const verify = defineOperation({
  id: 'verify',
  summary:
    'Settles the rehearsal, then checks the invariants over all its records. `holds` is false while any work is parked. After a forbidden fault was set, no invariants are checked: `forbidden` names the fault, `holds` is false, and `invariants` is empty.',
  path: '/_control/verify',
  response: z.object({
    holds: z.boolean(),
    settled: z.boolean(),
    waitingFor: WaitingFor,
    complete: z.boolean().describe('false: real systems take the place of applications, and the estate does not have all their records.'),
    invariants: z.array(Invariant),
    forbidden: z
      .array(z.object({ name: z.string().describe('Name of the fault.'), change: z.string().describe('What clients got.') }))
      .describe('Faults of the kind forbidden that were set in this rehearsal, deleted ones too. Empty: the invariants are checked.'),
  }),
});

export const listVerdicts = defineOperation({
  id: 'list-verdicts',
  summary: `Lists what verifications of the rehearsal found, newest first. The latest ${KEPT_VERDICTS} are kept; a reset begins without.`,
  path: '/_control/verdicts',
  query: z.strictObject({
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().describe('`next` of the answer before.'),
    limit: queryInteger(1, KEPT_VERDICTS).default(KEPT_VERDICTS).describe('Maximum number of verdicts.'),
  }),
  response: z.object({
    items: z.array(
      z.object({
        number: z.int(),
        at: Instant.describe('Wall time.'),
        now: Instant.describe('The clock of the rehearsal.'),
        holds: z.boolean(),
        invariants: z.array(z.string()).describe('Ids of the invariants that were checked.'),
        broken: z.array(z.string()).describe('Ids of those that did not hold.'),
      }),
    ),
    next: z.int().optional(),
  }),
});

/** The books of a world. The longest lists come last. */
export const BOOKS = ['objects', 'money', 'work', 'events', 'points', 'stock'] as const;

/** A number in the books of a world. */
export const BookEntry = z.object({
  book: z
    .enum(BOOKS)
    .describe(
      'objects: number by type and state. money: minor units. work: outstanding work by application and kind. events: number of published events by type. points: balance of each account. stock: units over all locations, and on their way to stores.',
    ),
  entry: z.string().describe('Such as "order completed", "captured", "mug-blue on hand", "loy_ada" or "order-confirmed".'),
  value: z.int(),
});

/** Entries of an answer. */
export const MOST_BOOK_ENTRIES = 5_000;

export const readBooks = defineOperation({
  id: 'read-books',
  summary:
    'Returns the books of the rehearsal: objects, money, stock, points, outstanding work and published events as numbers, without ids and times. Two worlds with the same business have the same books. Entries of zero are left out.',
  path: '/_control/books',
  response: z.object({
    now: Instant,
    currency: z.string().describe('The currency of the amounts.'),
    entries: z.array(BookEntry),
    omitted: z.int().describe(`Number of entries beyond the first ${MOST_BOOK_ENTRIES.toLocaleString('en')}.`),
  }),
});

export const verificationOperations = [verify, listVerdicts, readBooks] as const;
