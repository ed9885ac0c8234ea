import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { contextFor } from '../../shared/control/context.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { defineDueWork, type RunningItem } from '../../shared/work/due-work.ts';
import { type BoundDueWork, handleDue, type Scope } from '../../shared/work/handler.ts';
import { newJournalNotes } from '../../shared/work/job.ts';
import { aPlan } from './a-plan.ts';
import { pipelineOf } from './one-pipeline.ts';

const notes = defineCollection({ name: 'notes', schema: z.object({ id: z.string(), version: z.int() }) });

const EVENT = { id: 'evt_1', type: 'com.unified-commerce.order-confirmed', subject: 'order/ord_1', aggregateversion: 1 } as EstateEvent;

const noticeDue = defineDueWork('notify');

/** An application whose handler schedules work before its reply, commits, and then calls back the test. */
async function planning(afterwards: (scope: Scope, run: number) => Promise<void>, notice?: BoundDueWork['run']) {
  const done: string[] = [];
  let runs = 0;
  const { adapter, store, world, pipeline, consume } = await pipelineOf({
    collections: [notes],
    due: { [noticeDue.kind]: handleDue(noticeDue)(notice ?? (async ({ key }) => void done.push(key))) },
    events: {
      'order-confirmed': async (_event, scope) => {
        runs += 1;
        const { work } = scope;
        if (!(await work.get(notes, 'planned'))) {
          work.put(notes, { id: 'planned' });
          work.schedule(noticeDue, 'once', work.now, {}, { beforeReply: true });
          await work.checkpoint();
        }
        await afterwards(scope, runs);
      },
    },
  });
  const planned = { id: EVENT.id, topic: 't', key: 'ord_1', json: JSON.stringify(EVENT), subscribers: ['crm'] as const };
  await adapter.store('oms').commit(world, aPlan({ events: [planned] }));
  return {
    done,
    store,
    runs: () => runs,
    handle: () => consume(EVENT),
    /** Changes an object concurrently that the handler has read. */
    change: (id: string) =>
      store.commit(world, aPlan({ put: [{ collection: notes.name, id, read: 0, version: 1, json: JSON.stringify({ id, version: 1 }) }] })),
    ledger: () => adapter.worlds.ledger(world),
    /** Runs the next item as the driver of the clock does. */
    async runNext(): Promise<void> {
      const token = 'of the clock';
      const item = await adapter.worlds.leaseNext(world, { upTo: Number.POSITIVE_INFINITY, token, leaseMs: 60_000 });
      if (!item) throw new Error('Nothing is due.');
      const begun = { principal: 'clock', requestId: 'clock', correlationId: item.correlationId, withinMs: 5_000 };
      const context = contextFor({ world, now: item.at, faults: 0 }, begun);
      const hop = { api: item.kind, method: 'DUE', path: item.key, started: performance.now(), answersData: false };
      await pipeline.due({ item, token, context, notes: newJournalNotes(context), hop, path: item.key });
    },
  };
}

test('Due work before the reply runs before the reply, even after a conflict that followed its scheduling', async () => {
  const application = await planning(async ({ work }, run) => {
    await work.get(notes, 'shared');
    if (run === 1) await application.change('shared');
    work.put(notes, { id: 'shared' });
  });
  await application.handle();
  expect(application.runs()).toBe(2);
  expect(application.done).toEqual(['once']);
  expect(await application.ledger()).toMatchObject({ running: [], pending: [] });
});

test('Due work before the reply runs with its committed content, and does not read it from the store', async () => {
  const items: RunningItem[] = [];
  const application = await planning(
    async () => undefined,
    async (item) => void items.push(item),
  );
  Object.assign(application.store, { due: () => Promise.reject(new Error('The work is read again.')) });
  await application.handle();
  expect(items).toMatchObject([
    { application: 'crm', kind: 'notify', key: 'once', at: 1_000, attempts: 0, correlationId: 'c', payload: {} },
  ]);
  expect(await application.ledger()).toMatchObject({ running: [], pending: [] });
});

test('Due work that failed before the reply has the same ids and keys when the clock runs it', async () => {
  const ids: string[] = [];
  const application = await planning(
    async () => undefined,
    async (_item, { work }) => {
      ids.push(work.id('req'));
      if (ids.length === 1) throw new Error('broken');
    },
  );
  await application.handle();
  await application.runNext();
  expect(ids[1]).toBe(ids[0]);
  expect(ids).toHaveLength(2);
  const { next } = await application.ledger();
  expect(next).toBeUndefined();
});

test('Due work before the reply that fails and cannot be released does not fail the request', async () => {
  const application = await planning(
    async () => undefined,
    async () => {
      throw new Error('The store is away.');
    },
  );
  Object.assign(application.store, { releaseDue: () => Promise.reject(new Error('The store is away.')) });
  await expect(application.handle()).resolves.toBeUndefined();
  expect(await application.ledger()).toMatchObject({ pending: [], running: ['crm|notify|once'] });
});

test('Due work before the reply can be leased immediately by any process when the reply is not sent', async () => {
  const application = await planning(async () => {
    throw new Error('broken');
  });
  await expect(application.handle()).rejects.toThrow('broken');
  expect(application.done).toEqual([]);
  expect(await application.ledger()).toMatchObject({ running: [], next: { kind: 'notify', key: 'once' } });
});
