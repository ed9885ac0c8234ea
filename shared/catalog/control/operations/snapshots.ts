import { z } from 'zod';
import { REHEARSAL_NAME, REHEARSAL_NAME_RULE } from '../../../domain/ids.ts';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { BookEntry } from './verification.ts';

export const SnapshotName = z
  .string()
  .regex(REHEARSAL_NAME, REHEARSAL_NAME_RULE)
  .meta({ description: 'Lower-case letters, digits and hyphens, at most 40.' });

export const Snapshot = z.object({
  name: z.string(),
  rehearsal: z.string().describe('The rehearsal that it was taken from.'),
  takenAt: Instant.describe('Wall time.'),
  now: Instant.describe('The clock of the rehearsal at that moment.'),
  estate: z.string().describe('Version of the estate.'),
  digest: z.string(),
  bytes: z.int().describe('Size of the file.'),
  objects: z.int(),
  events: z.int(),
});

/** The head of a file. `control/snapshots/snapshot-file.ts` declares its sections. */
const SnapshotFile = z
  .looseObject({ format: z.string(), version: z.int(), digest: z.string().optional() })
  .describe(
    'A world in sections: objects and counters by application, due work, clock, progression, faults, idempotency records and events.',
  );

export const saveSnapshot = defineOperation({
  id: 'save-snapshot',
  summary: 'Settles the rehearsal and keeps it as a snapshot. It replaces a snapshot of the same name.',
  method: 'PUT',
  path: '/_control/snapshots/{name}',
  reach: 'estate',
  request: z.strictObject({
    rehearsal: z.string().max(40).optional().describe('Default: the rehearsal of the request.'),
    journal: z.boolean().default(false).describe('Adds the hops of the journal.'),
    timeoutMs: z.int().min(0).max(60_000).default(10_000).describe('Wall time that the rehearsal gets to come to rest.'),
  }),
  response: Snapshot,
  problems: ['unknown_rehearsal', 'not_at_rest', 'swapped', 'too_many_snapshots', 'payload_too_large'],
});

export const listSnapshots = defineOperation({
  id: 'list-snapshots',
  summary: 'Lists the kept snapshots by name.',
  path: '/_control/snapshots',
  reach: 'estate',
  response: z.object({ items: z.array(Snapshot) }),
});

export const readSnapshot = defineOperation({
  id: 'read-snapshot',
  summary: 'Returns a snapshot as a file. It has no credential and no registered webhook.',
  path: '/_control/snapshots/{name}',
  reach: 'estate',
  response: SnapshotFile,
  problems: ['not_found'],
});

export const exportRehearsal = defineOperation({
  id: 'export-rehearsal',
  summary: 'Settles a rehearsal and returns its world and its journal as the file of a snapshot. The estate keeps no copy.',
  path: '/_control/rehearsals/{name}/snapshot',
  reach: 'named rehearsal',
  response: SnapshotFile,
  problems: ['unknown_rehearsal', 'not_at_rest', 'swapped'],
});

const Flag = z.enum(['true', 'false']).default('false');

export const uploadSnapshot = defineOperation({
  id: 'upload-snapshot',
  summary:
    'Keeps the snapshot of a file. A refusal names the first twenty places where objects, states, references or invariants are wrong. The limit of the body is MAX_SNAPSHOT_BYTES.',
  method: 'POST',
  path: '/_control/snapshots',
  reach: 'estate',
  query: z.strictObject({
    name: SnapshotName.optional().describe('Default: the name in the file. A snapshot of this name is replaced.'),
    dryRun: Flag.describe('Only validates the file.'),
    reseal: Flag.describe('Accepts a file that was changed on purpose, and computes its digest again.'),
    unverified: Flag.describe('Accepts a world whose invariants do not hold, such as the world of a failed scenario.'),
  }),
  request: SnapshotFile,
  response: Snapshot.extend({ kept: z.boolean().describe('Whether it is kept now; false with dryRun.') }),
  problems: ['too_many_snapshots', 'payload_too_large'],
  body: 'large',
});

export const deleteSnapshot = defineOperation({
  id: 'delete-snapshot',
  summary: 'Deletes a snapshot. Rehearsals that were opened from it continue, but cannot be reset.',
  method: 'DELETE',
  path: '/_control/snapshots/{name}',
  reach: 'estate',
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});

const World = z.string().min(1).max(60);
const Json = z.unknown();

export const compareWorlds = defineOperation({
  id: 'compare-worlds',
  summary: 'Compares two snapshots, two rehearsals, or one of each: which books, objects and counters differ, and how.',
  path: '/_control/diff',
  reach: 'estate',
  query: z.strictObject({
    from: World.describe('A snapshot or a rehearsal. snapshot:NAME and rehearsal:NAME decide when both exist; a snapshot comes first.'),
    to: World.describe('As from.'),
  }),
  response: z.object({
    from: z.object({ world: z.string(), now: Instant }),
    to: z.object({ world: z.string(), now: Instant }),
    books: z
      .array(BookEntry.pick({ book: true, entry: true }).extend({ from: z.int(), to: z.int() }))
      .describe('The entries of the books (read-books) that differ.'),
    objects: z.array(
      z.object({
        type: z.string(),
        id: z.string(),
        label: z.string().optional(),
        change: z.enum(['added', 'removed', 'changed']),
        members: z
          .array(z.object({ member: z.string().describe('Path, such as lines.0.qty.'), from: Json.optional(), to: Json.optional() }))
          .describe('The published members that differ; for an added or removed object, its state.'),
      }),
    ),
    counters: z
      .array(z.object({ application: z.string(), counter: z.string(), key: z.string(), field: z.string(), from: z.int(), to: z.int() }))
      .describe('Stock, balances and other numbers.'),
    omitted: z.int().describe('Number of entries, objects and counters beyond the first 1,000 of each.'),
  }),
  problems: ['not_found'],
});

export const snapshotsOperations = [
  saveSnapshot,
  listSnapshots,
  readSnapshot,
  exportRehearsal,
  uploadSnapshot,
  deleteSnapshot,
  compareWorlds,
] as const;
