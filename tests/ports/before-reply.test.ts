import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import { aPlan } from './a-plan.ts';
import { pipelineOf } from './one-pipeline.ts';

const notes = defineCollection({ name: 'notes', schema: z.object({ id: z.string(), version: z.int() }) });

const EVENT = { id: 'evt_1', type: 'com.unified-commerce.order-confirmed', subject: 'order/ord_1', aggregateversion: 1 } as EstateEvent;

const noticeDue = defineDueWork('notify');

/** An application whose handler schedules work before its reply, commits, and then calls back the test. */
async function planning(afterwards: (scope: Scope, run: number) => Promise<void>, notice?: () => Promise<void>) {
  const done: string[] = [];
  let runs = 0;
  const { adapter, store, world, consume } = await pipelineOf({
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
