import { z } from 'zod';
import { REHEARSAL_NAME } from '../../../domain/ids.ts';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

const RehearsalName = z.string().regex(REHEARSAL_NAME).meta({ description: 'Lower-case letters, digits and hyphens, at most 40.' });

const Rehearsal = z.object({ name: RehearsalName, world: z.string(), createdAt: z.string(), now: Instant });
const ListedRehearsal = Rehearsal.partial({ world: true, createdAt: true, now: true }).extend({
  lastUsedAt: Instant.describe('Wall time. Requests and operations of a rehearsal are its use.'),
  endsAt: Instant.optional().describe('Wall time at which it ends if nobody uses it. Absent: it is kept.'),
  contents: z
    .object({ objects: z.int(), events: z.int(), journal: z.int().describe('Records.'), bytes: z.int().describe('Approximately.') })
    .optional(),
  trouble: z.string().optional().describe('Why the rest cannot be said.'),
});

export const createRehearsal = defineOperation({
  id: 'create-rehearsal',
  summary: 'Creates an isolated world, freshly seeded, with credentials that are bound to it and shown this once.',
  method: 'POST',
  path: '/_sim/rehearsals',
  request: z.strictObject({
    name: RehearsalName.optional(),
    idleExpiry: z.string().max(64).optional().meta({
      format: 'duration',
      description:
        'ISO 8601 duration of wall time without use after which it ends, PT1S to P366D; REHEARSAL_IDLE_EXPIRY without it. Not together with keep.',
    }),
    keep: z.boolean().default(false).describe('It stays until it is deleted.'),
  }),
  response: Rehearsal.extend({
    credentials: z.object({
      bearer: z.string(),
      apiKey: z.string(),
      webhookSecret: z.string().describe('Signs the carrier’s webhooks.'),
      webhookUrl: z.string().describe('Where a carrier sends them: a path at the gateway.'),
    }),
  }),
  status: 201,
  problems: ['rehearsal_exists', 'too_many_rehearsals'],
});

export const listRehearsals = defineOperation({
  id: 'list-rehearsals',
  summary: 'All rehearsals there are: when each ends, and what it holds.',
  method: 'GET',
  path: '/_sim/rehearsals',
  response: z.object({ items: z.array(ListedRehearsal) }),
});

export const deleteRehearsal = defineOperation({
  id: 'delete-rehearsal',
  summary: 'Forgets a rehearsal; its credentials no longer let anybody in. The default one can only be reset.',
  method: 'DELETE',
  path: '/_sim/rehearsals/{name}',
  response: z.null(),
  status: 204,
  problems: ['unknown_rehearsal', 'forbidden'],
});

export const resetRehearsal = defineOperation({
  id: 'reset-rehearsal',
  summary: 'Makes the rehearsal as freshly seeded: data, due work, faults, clock, journal and events.',
  method: 'POST',
  path: '/_sim/reset',
  response: Rehearsal,
});
