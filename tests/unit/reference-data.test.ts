import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import type { Context } from '../../shared/control/context.ts';
import { inOneSlice } from '../../shared/domain/breathe.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { ObjectStore } from '../../shared/store/ports/objects.ts';
import { createReferenceData } from '../../shared/work/reference-data.ts';
import { finish } from '../../shared/work/unit/commit.ts';
import { Unit } from '../../shared/work/unit/unit.ts';

const NOW = 1_000;

const shelf = {
  schema: z.object({ id: z.string(), version: z.int(), name: z.string() }),
  unique: { name: ({ name }: { readonly name: string }) => name },
};
const shelves = defineCollection({ ...shelf, name: 'shelves', reference: true });
const crates = defineCollection({ ...shelf, name: 'crates' });

/** A world with the shelf `a`, and units of one application that count its reads in the store. */
async function openShop() {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('r', { now: NOW, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const store = adapter.store('oms');
  const reads: string[] = [];
  const counted =
    <Arguments extends readonly unknown[], Result>(name: string, read: (...args: Arguments) => Result) =>
    (...args: Arguments): Result => {
      reads.push(name);
      return read(...args);
    };
  const watched: Pick<ObjectStore, 'object' | 'unique' | 'all'> = {
    object: counted('object', store.object),
    unique: counted('unique', store.unique),
    all: counted('all', store.all),
  };
  const reference = createReferenceData();
  const ids = { requestId: 'req', correlationId: 'cor' };
  const contextNow = async (): Promise<Context> => {
    const view = await adapter.worlds.current(world);
    return { world, now: NOW, principal: 'test', ...ids, deadline: 0, faults: 0, chain: [], reference: view?.reference };
  };
  const open = async (context?: Context) =>
    new Unit({
      ...{ store: { ...store, ...watched }, context: context ?? (await contextNow()), figures: DEFAULT_FIGURES, reference },
      ...{
        key: 'key',
        since: NOW,
        causation: 'req',
        hopId: 'req',
        beforeReplyLeaseMs: 0,
        commits: { dueBeforeReply: [], hasUnsentEvents: false },
      },
    });
  const put = async (name: string, context?: Context): Promise<void> => {
    const work = await open(context);
    await work.get(shelves, 'a');
    const renamed = { id: 'a', name };
    work.put(shelves, renamed);
    await finish(work);
  };
  await put('first');
  reads.length = 0;
  return { open, put, contextNow, reads };
}

test('Reference data is read from the store once by id, by unique value and as a list; other data each time', async () => {
  const { open, reads } = await openShop();
  for (let request = 0; request < 3; request++) {
    const byId = await (await open()).get(shelves, 'a');
    const byName = await (await open()).findUnique(shelves, 'name', 'first');
    const { items } = await (await open()).all(shelves, { breathe: inOneSlice });
    expect([byId?.name, byName?.id, items.length]).toEqual(['first', 'a', 1]);
  }
  expect(reads).toEqual(['object', 'unique', 'all']);
  for (let request = 0; request < 3; request++) await (await open()).get(crates, 'a');
  for (let request = 0; request < 3; request++) await (await open()).all(shelves, { limit: 10 });
  expect(reads.slice(3)).toEqual([...Array<string>(3).fill('object'), ...Array<string>(3).fill('all')]);
});

test('A request after a change reads changed reference data; a request that began before it may still see the old ones', async () => {
  const { open, put, contextNow } = await openShop();
  const before = await contextNow();
  expect((await (await open()).get(shelves, 'a'))?.name).toBe('first');
  await put('second');
  const seen = await (await open()).get(shelves, 'a');
  expect([seen?.name, seen?.version]).toEqual(['second', 2]);
  expect(await (await open()).findUnique(shelves, 'name', 'first')).toBeUndefined();
  expect((await (await open(before)).get(shelves, 'a'))?.name).toBe('first');
});

test('A change that rests on an old version of reference data is refused, and its rerun reads the newer one', async () => {
  const { open, put, contextNow } = await openShop();
  const before = await contextNow();
  await (await open(before)).get(shelves, 'a');
  await put('second');
  await expect(put('third', before)).rejects.toMatchObject({ why: 'version' });
  await put('third', before);
  const seen = await (await open()).get(shelves, 'a');
  expect([seen?.name, seen?.version]).toEqual(['third', 3]);
});

test('A read of reference data that finds nothing is not remembered', async () => {
  const { open, reads } = await openShop();
  for (let request = 0; request < 2; request++) expect(await (await open()).get(shelves, 'unknown')).toBeUndefined();
  expect(reads).toEqual(['object', 'object']);
});
