import type { Application } from '../../catalog/applications.ts';
import { randomToken } from '../../domain/ids.ts';
import { deliveryAgain } from '../delivery-again.ts';
import type { Claim } from '../ports/claims.ts';
import { dueKey } from '../ports/due-work.ts';
import type { Store } from '../ports/estate-store.ts';
import { BATCH_SIZE, type Batch, HAND_OVER_MS } from '../ports/outbox.ts';
import { ROOM_FOR_STARTED_WORK } from '../ports/plan.ts';
import type { RedisAnnouncements } from './announcements.ts';
import { outboxBacklog } from './backlog.ts';
import { commitArguments, readCommitted } from './commit.ts';
import type { RedisAccess } from './connection.ts';
import { type DueValue, dueValue, outboxEntry, parkedError, readDue, readEntry, type TextNumber, valueArguments, word } from './formats.ts';
import { createRedisObjects } from './objects.ts';
import { runInWorld } from './run-in-world.ts';

export interface ApplicationStoreOptions extends RedisAccess {
  readonly announcements: RedisAnnouncements;
  /** Wall time. */
  readonly relayLeaseMs: number;
  readonly outboxLimit: number;
  readonly worldBytes: number;
}

export function createApplicationStore(application: Application, options: ApplicationStoreOptions): Store {
  const { connection, keys, announcements, relayLeaseMs, outboxLimit, worldBytes } = options;
  const run = runInWorld(options);
  const limits = {
    outboxLimit,
    most: worldBytes * ROOM_FOR_STARTED_WORK,
    batch: BATCH_SIZE,
    leaseMs: Math.min(relayLeaseMs, HAND_OVER_MS),
  };
  return {
    application,
    ...createRedisObjects(application, options),
    claim: async (world, { key, fingerprint, now, leaseMs }) => {
      // Every attempt has the same token: an attempt whose reply was lost has made the claim for us.
      const token = randomToken();
      return readClaim(await run('claim', world, application, key, word(fingerprint), now, leaseMs, token), token);
    },
    release: async (world, key, token) => {
      await run('release', world, application, key, word(token));
    },
    due: async (world, { kind, key, token }) => {
      const record = (await run('due', world, dueKey(application, kind, key), word(token))) as string | null;
      return record === null ? undefined : readDue(record);
    },
    releaseDue: async (world, { kind, key, token }) => {
      await run('releaseDue', world, dueKey(application, kind, key), word(token));
    },
    withheld: async (world, fault) => ((await run('withheld', world, application, word(fault))) as string[]).map(readDue),
    commit: async (world, plan) => {
      if (plan.events.length > 0) await announcements.announce(application, world);
      return readCommitted(await run('commit', world, ...commitArguments(application, plan, limits)), plan, world);
    },
    drain: async (world, { token, sent = [], withheld = [], isStopping = false }) => {
      const progress = valueArguments(
        (keep): DrainProgress => ({
          sent: sent.map((one) => (typeof one === 'string' ? { id: one } : { id: one.id, entry: keep(outboxEntry(one)) })),
          withheld: withheld.map(({ id, due }) => ({ id, due: dueValue(application, due, keep) })),
        }),
      );
      const limit = isStopping ? 0 : BATCH_SIZE;
      return readBatch(await run('drain', world, application, randomToken(), word(token), relayLeaseMs, limit, ...progress));
    },
    unsent: () => announcements.unsent(application),
    outbox: () => outboxBacklog(application, options),
    isPending: async (world, delivery) =>
      (await connection.idempotently((client) => client.zscore(`${keys.world(world)}:pending`, delivery))) !== null,
    park: async (world, delivery, error) => {
      await run('parkDelivery', world, delivery, parkedError(error));
    },
    putOff: async (world, delivery, { event, at, awaits }) => {
      const due = { ...deliveryAgain(delivery, event), at, awaits, attempts: 1 };
      await run('putOffDelivery', world, delivery, ...valueArguments((keep) => dueValue(application, due, keep)));
    },
  };
}

/** The progress of a relay as the script `drain` reads it. */
interface DrainProgress {
  /** `entry`: a fault withheld the event, so that the outbox does not have it. */
  readonly sent: readonly { readonly id: string; readonly entry?: TextNumber }[];
  readonly withheld: readonly { readonly id: string; readonly due: DueValue }[];
}

function readBatch(reply: unknown): Batch | undefined {
  const [faults, entries] = reply as readonly [faults?: string, entries?: readonly string[]];
  return entries && { entries: entries.map(readEntry), faults: Number(faults) };
}

function readClaim(reply: unknown, token: string): Claim {
  const [is, first = '', second = ''] = reply as readonly string[];
  if (is === 'done') return { is, json: first };
  if (is === 'running') return { is, leftMs: Number(first) };
  if (is === 'other-body') return { is };
  return { is: 'ours', token, since: Number(first), preconditionHeld: second === '1' };
}
