import { z } from 'zod';
import { REHEARSAL_NAME, REHEARSAL_NAME_RULE } from '../../../domain/ids.ts';
import { EARLIEST_START, LATEST_CLOCK } from '../../limits.ts';
import { AnyInstant, Instant, typedLine } from '../../shapes.ts';
import { SwapChanges, Swaps } from '../../swap.ts';
import { defineOperation } from '../define-operation.ts';
import { OwnData } from '../own-data.ts';
import { Progression } from '../progression.ts';

const RehearsalName = z
  .string()
  .regex(REHEARSAL_NAME, REHEARSAL_NAME_RULE)
  .meta({ description: 'Lower-case letters, digits and hyphens, at most 40.' });

const StartOfClock = AnyInstant.refine((at) => Date.parse(at) >= EARLIEST_START && Date.parse(at) <= LATEST_CLOCK, {
  error: 'A clock starts between 2000-01-01T00:00:00Z and 9999-01-01T00:00:00Z.',
  params: { code: 'out_of_range' },
});

const Seed = z.string().describe('The seed of its ids. Absent: they differ in each rehearsal.');

const EstateCallsBySystem = z
  .record(z.string(), z.string())
  .optional()
  .describe(
    'By swapped application: the value of X-Estate-Call that permits its real system to call the estate at any time. Only this answer contains it.',
  );

/** Bounds of labels. */
const MOST_LABELS = 10;
const Labels = z
  .record(
    z.string().regex(/^[a-z][a-z0-9-]{0,29}$/, 'A label is named in lower-case letters, digits and hyphens, at most 30.'),
    typedLine(100),
  )
  .refine((labels) => Object.keys(labels).length <= MOST_LABELS, {
    error: `At most ${MOST_LABELS} labels are possible.`,
    params: { code: 'too_many_labels' },
  });

const Rehearsal = z.object({ name: RehearsalName, world: z.string(), createdAt: z.string(), now: Instant });
const ListedRehearsal = Rehearsal.partial({ world: true, createdAt: true, now: true }).extend({
  labels: z.record(z.string(), z.string()).optional(),
  verdict: z
    .object({ at: Instant.describe('Wall time.'), holds: z.boolean() })
    .optional()
    .describe('What the latest verification found.'),
  lastUsedAt: Instant.describe('Wall time of the latest request or operation of the rehearsal.'),
  endsAt: Instant.optional().describe('Wall time of its end unless it is used first. Absent if it is kept.'),
  contents: z
    .object({
      objects: z.int(),
      events: z.int(),
      journal: z.int().describe('Number of journal records.'),
      bytes: z.int().describe('Approximately.'),
    })
    .optional(),
  trouble: z.string().optional().describe('Why the other members are missing.'),
});

export const createRehearsal = defineOperation({
  id: 'create-rehearsal',
  summary:
    'Creates a rehearsal with its own credentials: freshly seeded, from a snapshot, or as a fork. Only this answer contains the credentials.',
  method: 'POST',
  path: '/_control/rehearsals',
  reach: 'estate',
  request: z.strictObject({
    name: RehearsalName.optional(),
    idleExpiry: z.string().max(64).optional().meta({
      format: 'duration',
      description:
        'Wall time without use after which the rehearsal ends: an ISO 8601 duration from PT1S to P366D. Default: REHEARSAL_IDLE_EXPIRY. Excludes `keep`.',
    }),
    labels: Labels.optional().describe(
      'Your notes, such as {"by":"ci","branch":"main"}. The console shows `by`: person, ci or agent. A reset keeps them.',
    ),
    keep: z.boolean().default(false).describe('Keeps the rehearsal until it is deleted.'),
    from: z
      .strictObject({
        snapshot: z.string().max(40).optional().describe('Name of the snapshot to open. A reset returns to it.'),
        rehearsal: z.string().max(40).optional().describe('Name of the rehearsal to fork. Both then continue independently.'),
      })
      .optional()
      .describe('Begins with the world of a snapshot or of another rehearsal. Excludes `data`, `swap` and `startsAt`.'),
    data: OwnData.optional().describe(
      'Your own data: lists of rows by file, such as products, stock, customers or promotions, all but credentials. A row changes the row with the same key (RFC 7396), removes it with {"$remove": true}, or is added. A reset keeps the data.',
    ),
    seed: z
      .union([z.string().min(1).max(200), z.int()])
      .optional()
      .describe(
        'Ids and codes derive from it: the same calls, one at a time, get the same ids and codes in each rehearsal with this seed. A reset keeps it.',
      ),
    startsAt: StartOfClock.optional().describe(
      'Frozen time of the clock at the start and after a reset, 2000-01-01T00:00:00Z or later. Times of the initial data are relative to it. Default: now, and the clock flows.',
    ),
    swap: Swaps.optional().describe(
      'Applications that your real systems replace in this rehearsal, each with its address. A reset keeps them. A swapped application has no initial data.',
    ),
  }),
  response: Rehearsal.extend({
    seed: Seed.optional(),
    credentials: z.object({
      bearer: z.string(),
      apiKey: z.string(),
      webhookSecret: z.string().describe('Signs the carrier’s webhooks.'),
      clientId: z.string().describe('Client of POST /oauth/token, for tokens that expire.'),
      clientSecret: z.string(),
      webhookUrl: z.string().describe('Path of the gateway that receives the carrier’s webhooks.'),
    }),
    estateCalls: EstateCallsBySystem,
    leftOut: z.array(z.string()).optional().describe('Default rows that do not fit your data and are left out, a sentence per file.'),
  }),
  status: 201,
  problems: [
    'rehearsal_exists',
    'too_many_rehearsals',
    'not_found',
    'unknown_rehearsal',
    'not_at_rest',
    'outbound_refused',
    'swapped',
    'incompatible_world',
  ],
});

export const listRehearsals = defineOperation({
  id: 'list-rehearsals',
  summary: 'Lists all rehearsals with their end and contents.',
  path: '/_control/rehearsals',
  reach: 'estate',
  response: z.object({ items: z.array(ListedRehearsal) }),
});

export const deleteRehearsal = defineOperation({
  id: 'delete-rehearsal',
  summary: 'Deletes a rehearsal and revokes its credentials. The default rehearsal can only be reset.',
  method: 'DELETE',
  path: '/_control/rehearsals/{name}',
  reach: 'named rehearsal',
  response: z.null(),
  status: 204,
  problems: ['unknown_rehearsal', 'forbidden'],
});

export const resetRehearsal = defineOperation({
  id: 'reset-rehearsal',
  summary:
    'Resets the rehearsal to a freshly seeded one, or to the snapshot that it was opened from: data, due work, faults, clock, journal and events. Credentials, registered webhooks and real systems stay.',
  method: 'POST',
  path: '/_control/reset',
  request: z.strictObject({
    swap: SwapChanges.optional().describe(
      'Changes of the real systems: a member without a value stays as it is, null ends the swap. Only a reset changes them, because a real system has none of the data of ours.',
    ),
  }),
  response: Rehearsal.extend({ estateCalls: EstateCallsBySystem }),
  problems: ['not_found', 'outbound_refused', 'incompatible_world'],
});

export const readRehearsal = defineOperation({
  id: 'read-rehearsal',
  summary: 'Reads a rehearsal: its clock, progression and contents.',
  path: '/_control/rehearsals/{name}',
  reach: 'named rehearsal',
  response: Rehearsal.extend({
    labels: ListedRehearsal.shape.labels,
    lastUsedAt: ListedRehearsal.shape.lastUsedAt,
    endsAt: ListedRehearsal.shape.endsAt,
    flowing: z.boolean().describe('Whether the clock flows with wall time.'),
    seed: Seed.optional(),
    startsAt: Instant.optional().describe('Where the clock stood at the start, if it was chosen.'),
    progression: Progression,
    data: z.record(z.string(), z.int()).optional().describe('Number of rows of the own data, by file.'),
    counts: z.object({
      traces: z.int().describe('Number of traces with hops in the journal.'),
      hops: z.int().describe('Number of hops in the journal, which keeps the newest 5,000.'),
      events: z.int(),
      faults: z.int(),
      parked: z.int(),
      objects: z.record(z.string(), z.record(z.string(), z.int())).describe('By type and state: {order: {confirmed: 1}}.'),
    }),
  }),
  problems: ['unknown_rehearsal'],
});

export const rehearsalsOperations = [createRehearsal, listRehearsals, readRehearsal, deleteRehearsal, resetRehearsal] as const;
