import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineObject } from '../../shared/catalog/define-object.ts';
import { defineLifeCycle } from '../../shared/catalog/life-cycle.ts';
import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import type { Context } from '../../shared/control/context.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { type AnyCollection, defineCollection, defineCounters } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { type CommitState, discard, finish } from '../../shared/work/unit/commit.ts';
import { Unit, type UnitParts } from '../../shared/work/unit/unit.ts';
import { OUT_OF_SEQUENCE, type Page, type UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { aPlan } from '../ports/a-plan.ts';
import { countingPauses } from '../support/counting-pauses.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const AT = '2030-01-01T00:00:00.000Z';

const Stamped = z.object({ id: z.string(), version: z.int(), createdAt: z.string(), updatedAt: z.string() });

const states = ['open', 'packed', 'shipped', 'lost'] as const;
const ofTest = { domain: 'commerce', owner: 'crm', meaning: 'an object of this test' } as const;
const crate = defineObject({
  type: 'crate',
  ...ofTest,
  schema: Stamped.extend({ state: z.enum(states), label: z.string().optional() }),
  lifeCycle: defineLifeCycle({
    object: 'crate',
    states,
    rows: [
      { verb: 'open', from: [null], to: 'open', trigger: 'test' },
      { verb: 'relabel', from: ['open'], trigger: 'test' },
      { verb: 'pack', from: ['open'], to: 'packed', events: ['crate-packed', 'crate-closed'], trigger: 'test' },
      { verb: 'pack', from: ['packed'], again: true, trigger: 'test' },
      { verb: 'send', from: ['packed'], to: ['shipped', 'lost'], events: ['crate-sent'], trigger: 'test' },
    ],
  }),
});
const crates = defineCollection({ name: 'crates', schema: crate.schema, object: crate });

const price = defineObject({ type: 'price', ...ofTest, schema: Stamped.extend({ amount: z.int() }) });
const prices = defineCollection({ name: 'prices', schema: price.schema, object: price });

const notes = defineCollection({
  name: 'notes',
  schema: z.object({ id: z.string(), version: z.int(), topic: z.string(), name: z.string().optional() }),
  unique: { name: ({ name }) => name },
  index: { topic: ({ topic }) => topic },
});

const stamps = defineCollection({
  name: 'stamps',
  schema: z.object({ id: z.string(), version: z.int(), createdAt: z.string(), parity: z.string() }),
  index: { parity: ({ parity }) => parity },
});

const stock = defineCounters({ name: 'stock', fields: ['onHand', 'held'], guards: { free: { onHand: 1, held: -1 } } });
const remind = defineDueWork('remind', z.object({ text: z.string() }));

/** A world in the memory store, and units of work in it as the CRM opens them. */
async function newWorld() {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('r', { now: NOW, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const store = adapter.store('crm');
  const plans: Plan[] = [];
  const watched: typeof store = {
    ...store,
    commit: (of, plan) => {
      plans.push(plan);
      return store.commit(of, plan);
    },
  };
  const ids = { requestId: 'req_1', correlationId: 'cor_1' };
  const context: Context = { world, now: NOW, principal: 'test', ...ids, deadline: Date.now() + 15_000, faults: 0, chain: [] };
  const newCommits = (): CommitState => ({ dueBeforeReply: [], hasUnsentEvents: false });
  const from = { key: 'key', since: NOW, causation: 'req_1', hopId: 'req_1', beforeReplyLeaseMs: 20_000 };
  const open = (parts: Partial<UnitParts> = {}): OpenUnit =>
    new Unit({ store: watched, context, figures: DEFAULT_FIGURES, ...from, commits: newCommits(), ...parts });
  const claimed = (key: string) => store.claim(world, { key, fingerprint: 'fingerprint', now: NOW, leaseMs: 10_000 });
  return {
    open,
    newCommits,
    async change(write: (work: OpenUnit) => Promise<void> | void): Promise<void> {
      const work = open();
      await write(work);
      await finish(work);
    },
    stored: async (of: AnyCollection, id: string): Promise<unknown> => {
      const found = await store.object(world, of.name, id);
      return found && JSON.parse(found.json);
    },
    counters: async (key: string) => (await store.counters(world, stock.name, [key]))[0],
    events: async () => (await store.drain(world, { token: 'relay' }))?.entries.map(({ json }) => JSON.parse(json) as EstateEvent) ?? [],
    due: async () => (await adapter.worlds.data(world)).due.map(({ kind, key, at, payload }) => ({ kind, key, at, payload })),
    claim: async (key: string) => {
      const claim = await claimed(key);
      if (claim.is !== 'ours') throw new Error(`The claim is ${claim.is}.`);
      return { kind: 'claim', key, token: claim.token } as const;
    },
    claimed,
    /** Records a delivery as owed to the CRM. */
    owe: (id: string) =>
      adapter.store('oms').commit(world, aPlan({ events: [{ id, topic: 't', key: 'k', json: '{}', subscribers: ['crm'] }] })),
    commits: () => plans.length,
    plannedDue: () => plans.at(-1)?.due.map(({ key }) => key),
  };
}

/** A unit of work as handlers see it, and as the pipeline commits it. */
type OpenUnit = UnitOfWork & Parameters<typeof finish>[0];

const ids = ({ items }: Page<{ readonly id: string }>): string[] => items.map(({ id }) => id);

test('A read of a unit of work is repeatable by id and by unique value, though another request changes the object in between', async () => {
  const { change, open } = await newWorld();
  await change((work) => void work.put(notes, { id: 'a', topic: 'first', name: 'ada' }));
  const work = open();
  expect(await work.findUnique(notes, 'name', 'ada')).toMatchObject({ topic: 'first', version: 1 });
  await change(async (other) => void other.put(notes, { ...(await other.get(notes, 'a')), id: 'a', topic: 'second', name: 'grace' }));
  expect(await work.get(notes, 'a')).toMatchObject({ topic: 'first', version: 1 });
  expect(await work.findUnique(notes, 'name', 'ada')).toMatchObject({ topic: 'first', version: 1 });
  expect(await open().get(notes, 'a')).toMatchObject({ topic: 'second', version: 2 });
  expect(await open().findUnique(notes, 'name', 'ada')).toBeUndefined();
});

test('A read in a unit of work is repeatable for a missing object, and a conflict refuses the commit', async () => {
  const { change, open } = await newWorld();
  const work = open();
  expect(await work.get(notes, 'a')).toBeUndefined();
  await change((other) => void other.put(notes, { id: 'a', topic: 'theirs' }));
  expect(await work.get(notes, 'a')).toBeUndefined();
  work.put(notes, { id: 'a', topic: 'ours' });
  await expect(finish(work)).rejects.toMatchObject({ name: 'Conflict', why: 'version' });
});

test('A read in a unit of work includes the uncommitted changes of the unit, by id and by unique value', async () => {
  const { change, open } = await newWorld();
  await change((work) => void work.put(notes, { id: 'a', topic: 't', name: 'ada' }));
  const work = open();
  await work.get(notes, 'a');
  work.put(notes, { id: 'a', topic: 't', name: 'grace' });
  work.put(notes, { id: 'b', topic: 't', name: 'edsger' });
  expect(await work.get(notes, 'a')).toMatchObject({ name: 'grace', version: 2 });
  expect(await work.findUnique(notes, 'name', 'grace')).toMatchObject({ id: 'a' });
  expect(await work.findUnique(notes, 'name', 'edsger')).toMatchObject({ id: 'b' });
  expect(await work.findUnique(notes, 'name', 'ada')).toBeUndefined();
  expect(await open().findUnique(notes, 'name', 'ada')).toMatchObject({ id: 'a' });
});

/** Notes n1 to n5 of topic x, in this order; the unit moves n2 to another topic, and creates n6 of topic x and m1 of topic y. */
async function changedUnit() {
  const { change, open } = await newWorld();
  await change((work) => {
    for (const id of ['n1', 'n2', 'n3', 'n4', 'n5']) work.put(notes, { id, topic: 'x' });
  });
  const work = open();
  await work.get(notes, 'n2');
  work.put(notes, { id: 'n2', topic: 'y' });
  work.put(notes, { id: 'n6', topic: 'x' });
  work.put(notes, { id: 'm1', topic: 'y' });
  return work;
}

async function pagesOf(work: OpenUnit, options: { readonly limit: number; readonly newestFirst?: true }): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(notes, 'topic', 'x', { ...options, cursor });
    pages.push(ids(page));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

test('A page of a unit of work leaves out changed objects that no longer fit, and has the created ones at the newest end', async () => {
  expect((await pagesOf(await changedUnit(), { limit: 3 })).map(String)).toEqual(['n1,n3', 'n4,n5,n6']);
  expect((await pagesOf(await changedUnit(), { limit: 2, newestFirst: true })).map(String)).toEqual(['n6,n5,n4', 'n3', 'n1']);
});

test('A page of all objects in a unit of work includes created and changed objects, in both directions, and a count does not', async () => {
  const work = await changedUnit();
  const oldestFirst = await work.all(notes);
  expect(ids(oldestFirst)).toEqual(['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'm1']);
  expect(oldestFirst.items[1]).toMatchObject({ topic: 'y' });
  expect(ids(await work.all(notes, { newestFirst: true }))).toEqual(['m1', 'n6', 'n5', 'n4', 'n3', 'n2', 'n1']);
  expect(await work.count(notes, 'topic', ['x', 'y'])).toEqual([5, 0]);
});

test('A list from an instant has every object of that time or later, and few older ones, though concurrent requests stored them out of sequence', async () => {
  const { change, open } = await newWorld();
  const minutes = Array.from({ length: 320 }, (_, place) => place ^ 31);
  const at = (minute: number): string => new Date(NOW + minute * 60_000).toISOString();
  for (const minute of minutes) {
    await change((work) => void work.put(stamps, { id: String(minute), createdAt: at(minute), parity: String(minute % 2) }));
  }
  for (const from of [-1, 0, 1, 31, 32, 33, 159, 160, 191, 300, 319, 320]) {
    const createdFrom = NOW + from * 60_000;
    const listed = ids(await open().all(stamps, { createdFrom })).map(Number);
    expect([from, minutes.filter((minute) => minute >= from && !listed.includes(minute))]).toEqual([from, []]);
    expect(listed.filter((minute) => minute < from).length).toBeLessThanOrEqual(2 * OUT_OF_SEQUENCE);
    const even = ids(await open().find(stamps, 'parity', '0', { createdFrom })).map(Number);
    expect([from, even]).toEqual([from, listed.filter((minute) => minute % 2 === 0)]);
  }
});

test('A unit of work refuses an unknown cursor, a fraction of a unit, and a write that does not suit its collection', async () => {
  const { open } = await newWorld();
  await expect(open().all(notes, { cursor: 'nonsense' })).rejects.toMatchObject({ code: 'validation_failed' });
  const { nextCursor } = await (await changedUnit()).find(notes, 'topic', 'x', { limit: 1 });
  await expect(open().all(notes, { cursor: nextCursor })).rejects.toMatchObject({ code: 'validation_failed' });
  const longer = Buffer.from(`${Buffer.from(nextCursor ?? '', 'base64url')} x`).toString('base64url');
  for (const cursor of [longer, `${nextCursor}.x`])
    await expect((await changedUnit()).find(notes, 'topic', 'x', { limit: 1, cursor })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  expect(() => open().move(stock, 'lamp', { onHand: 0.5 })).toThrow('not by 0.5');
  expect(() => open().put(crates, { id: 'c', state: 'open', createdAt: AT, updatedAt: AT })).toThrow('crates holds business objects');
  const none: AnyCollection = notes;
  expect(() => open().create(none, 'open', { id: 'n' })).toThrow('notes is not a collection of business objects');
});

test('A write of a unit of work moves a business object by verbs, with the events of each row in order', async () => {
  const { change, events, stored } = await newWorld();
  await change((work) => {
    const opened = work.create(crates, 'open', { id: 'c' });
    const labelled = work.transition(crates, opened, 'relabel', { label: 'fragile' });
    const packed = work.transition(crates, labelled, 'pack');
    work.transition(crates, packed, 'send', { label: undefined }, 'lost');
  });
  expect(await stored(crates, 'c')).toEqual({ id: 'c', state: 'lost', version: 4, createdAt: AT, updatedAt: AT });
  const emitted = (await events()).map(({ type, aggregateversion, correlationid, causationid, data }) => {
    expect({ correlationid, causationid }).toEqual({ correlationid: 'cor_1', causationid: 'req_1' });
    return [type.replace('com.unified-commerce.', ''), aggregateversion, data.previousState, data.object['state']];
  });
  expect(emitted).toEqual([
    ['ext.crate-changed', 1, undefined, 'open'],
    ['ext.crate-changed', 2, 'open', 'open'],
    ['crate-packed', 3, 'open', 'packed'],
    ['crate-closed', 3, 'open', 'packed'],
    ['crate-sent', 4, 'packed', 'lost'],
  ]);
});

test('A write of a unit of work refuses a move that the life cycle does not have, and one whose state the caller must choose', async () => {
  const { open } = await newWorld();
  const work = open();
  const opened = work.create(crates, 'open', { id: 'c' });
  expect(() => work.transition(crates, opened, 'send')).toThrow(expect.objectContaining({ code: 'invalid_state_transition' }));
  const packed = work.transition(crates, opened, 'pack');
  expect(() => work.transition(crates, packed, 'pack')).toThrow('natural repeat');
  expect(() => work.transition(crates, packed, 'send')).toThrow('may lead to shipped or lost');
  expect(() => work.transition(crates, packed, 'send', {}, 'open')).toThrow('does not lead to open');
});

test('A write of a unit of work revises a business object without states, and keeps its time of creation', async () => {
  const { change, events, open } = await newWorld();
  await change((work) => void work.revise(prices, undefined, { id: 'p', amount: 1 }));
  const createdAt = new Date(NOW + 1_000).toISOString();
  const work = open();
  const found = await work.get(prices, 'p');
  const revised = work.revise(prices, found && { ...found, createdAt }, { id: 'p', amount: 2 });
  expect(revised).toEqual({ id: 'p', amount: 2, version: 2, createdAt, updatedAt: AT });
  await finish(work);
  expect((await events()).map(({ type }) => type)).toEqual(Array(2).fill('com.unified-commerce.ext.price-changed'));
});

test('A counter of a unit of work shows the moves of the unit, field by field and key by key', async () => {
  const { change, counters, open } = await newWorld();
  await change((work) => work.move(stock, 'lamp', { onHand: 5 }));
  const work = open();
  work.move(stock, 'lamp', { onHand: -1, held: 2 });
  work.move(stock, 'lamp', { held: 1 });
  expect(await work.counters(stock, ['lamp', 'vase'])).toEqual([
    { onHand: 4, held: 3 },
    { onHand: 0, held: 0 },
  ]);
  expect(await counters('lamp')).toEqual({ onHand: 5 });
  await finish(work);
  expect(await counters('lamp')).toEqual({ onHand: 4, held: 3 });
});

const required = (version: number) => ({ name: 'c', ifMatch: `"${version}"`, isMet: false });

async function withCrate() {
  const estate = await newWorld();
  await estate.change((work) => void work.create(crates, 'open', { id: 'c' }));
  const packed = () =>
    estate.change(async (other) => {
      const found = await other.get(crates, 'c');
      if (found) other.transition(crates, found, 'pack');
    });
  return { ...estate, packed };
}

test('A precondition applies to published objects, and not to internal records with the same id', async () => {
  const { change, open } = await withCrate();
  await change((work) => void work.put(notes, { id: 'c', topic: 't', name: 'ada' }));
  const work = open({ precondition: required(7) });
  expect(await work.get(notes, 'c')).toMatchObject({ topic: 't' });
  expect(await work.findUnique(notes, 'name', 'ada')).toMatchObject({ topic: 't' });
});

test.each([
  ['the client requires a version', true],
  ['the handler expects a version', false],
])(
  'A precondition refuses the commit when another request has changed an object that the unit only read, and %s',
  async (_who, ofClient) => {
    const { packed, open } = await withCrate();
    const work = open(ofClient ? { precondition: required(1) } : {});
    const found = await work.get(crates, 'c');
    if (found && !ofClient) work.expect(crates, found);
    work.put(notes, { id: 'n', topic: 't' });
    await packed();
    await expect(finish(work)).rejects.toMatchObject({ name: 'Conflict', why: 'version' });
  },
);

test('A precondition that a checkpoint has fulfilled stays fulfilled for the rest of the request, including its later runs', async () => {
  const { claim, claimed, open } = await withCrate();
  const fence = await claim('k');
  const precondition = required(1);
  const work = open({ precondition, fence });
  const found = await work.get(crates, 'c');
  expect(precondition.isMet).toBe(false);
  if (found) work.transition(crates, found, 'pack');
  await work.checkpoint();
  expect(precondition.isMet).toBe(true);
  expect(await work.get(crates, 'c')).toMatchObject({ version: 2 });
  expect(await open({ precondition, fence }).get(crates, 'c')).toMatchObject({ version: 2 });
  await finish(work);
  expect(await claimed('k')).toMatchObject({ is: 'ours' });
});

test('Due work of a unit of work replaces work of the same kind and key, within the unit and in the store', async () => {
  const { change, due, plannedDue } = await newWorld();
  await change((work) => {
    work.schedule(remind, 'a', NOW + 1, { text: 'first' });
    work.schedule(remind, 'b', NOW + 2, { text: 'other' });
    work.schedule(remind, 'a', NOW + 3, { text: 'second' });
  });
  expect(plannedDue()).toEqual(['b', 'a']);
  const planned = async () => (await due()).map(({ key, at, payload }) => `${key} ${at - NOW} ${JSON.stringify(payload)}`);
  expect(await planned()).toEqual(['b 2 {"text":"other"}', 'a 3 {"text":"second"}']);
  await change((work) => work.schedule(remind, 'a', NOW + 1, { text: 'third' }));
  expect(await planned()).toEqual(['a 1 {"text":"third"}', 'b 2 {"text":"other"}']);
});

test('Due work of a unit of work is cancelled, and scheduled again after a cancellation', async () => {
  const { change, due } = await newWorld();
  await change((work) => work.schedule(remind, 'a', NOW + 1, { text: 'first' }));
  await change((work) => {
    work.schedule(remind, 'b', NOW + 1, { text: 'never' });
    work.cancel(remind, 'b');
    work.cancel(remind, 'a');
  });
  expect(await due()).toEqual([]);
  await change((work) => {
    work.cancel(remind, 'a');
    work.schedule(remind, 'a', NOW + 5, { text: 'again' });
  });
  expect(await due()).toEqual([{ kind: 'remind', key: 'a', at: NOW + 5, payload: { text: 'again' } }]);
});

test.each([
  ['the same', false],
  ['a later', true],
])('Due work before the reply is left to the process that commits, unless %s commit cancels or replaces it', async (_when, isCommitted) => {
  const { newCommits, open } = await newWorld();
  const commits = newCommits();
  const work = open({ commits });
  for (const key of ['kept', 'cancelled', 'replaced']) work.schedule(remind, key, NOW, { text: 'now' }, { beforeReply: true });
  expect(commits.dueBeforeReply).toEqual([]);
  if (isCommitted) await work.checkpoint();
  expect(commits.dueBeforeReply).toHaveLength(isCommitted ? 3 : 0);
  work.cancel(remind, 'cancelled');
  work.schedule(remind, 'replaced', NOW + 1, { text: 'later' });
  await finish(work);
  expect(commits.dueBeforeReply).toEqual([expect.objectContaining({ kind: 'remind', key: 'kept', payload: '{"text":"now"}' })]);
});

test('A unit of work sends no commit to the store without a change', async () => {
  const { commits, open } = await newWorld();
  const work = open();
  await work.get(crates, 'c');
  await work.checkpoint();
  await finish(work);
  expect(commits()).toBe(0);
});

test('A unit of work that is discarded keeps its answer and drops every change since the last checkpoint', async () => {
  const { claim, claimed, commits, counters, due, events, open, stored } = await newWorld();
  const work = open({ fence: await claim('k') });
  work.put(notes, { id: 'intent', topic: 't' });
  await work.checkpoint();
  work.put(notes, { id: 'dropped', topic: 't' });
  work.create(crates, 'open', { id: 'c' });
  work.move(stock, 'lamp', { onHand: 1 });
  work.schedule(remind, 'a', NOW, { text: 'never' });
  await discard(work, { json: '{"status":409}', keepUntil: NOW + 1_000 });
  expect(commits()).toBe(2);
  expect(await stored(notes, 'intent')).toMatchObject({ version: 1 });
  expect([await stored(notes, 'dropped'), await stored(crates, 'c')]).toEqual([undefined, undefined]);
  expect([await counters('lamp'), await due(), await events()]).toEqual([{}, [], []]);
  expect(await claimed('k')).toEqual({ is: 'done', json: '{"status":409}' });
});

test('A unit of work ends once: a checkpoint leaves the delivery owed, and the final commit does not repeat its changes', async () => {
  const { counters, events, newCommits, open, owe, stored } = await newWorld();
  await owe('evt_1');
  const commits = newCommits();
  const fence = { kind: 'delivery', key: 'crm|evt_1' } as const;
  const work = open({ commits, fence });
  work.create(crates, 'open', { id: 'c' });
  work.move(stock, 'lamp', { onHand: 2 });
  await work.checkpoint();
  expect(commits).toMatchObject({ hasUnsentEvents: true, hasBegun: true });
  const opened = await work.get(crates, 'c');
  if (opened) work.transition(crates, opened, 'relabel', { label: 'x' });
  await finish(work);
  expect(await stored(crates, 'c')).toMatchObject({ version: 2, label: 'x' });
  expect(await counters('lamp')).toEqual({ onHand: 2 });
  expect((await events()).map(({ aggregateversion }) => aggregateversion)).toEqual([1, 2]);
  await expect(finish(open({ fence }))).rejects.toMatchObject({ name: 'Conflict', why: 'held' });
});

test('A unit of work generates the same ids in every run of a request, and different ids for each label, key and rehearsal', async () => {
  const [one, other] = [await newWorld(), await newWorld()];
  const ids = [one.open().id('ord'), one.open().id('ord', 'second'), one.open({ key: 'other' }).id('ord'), other.open().id('ord')];
  expect(one.open().id('ord')).toBe(ids[0]);
  expect(new Set(ids).size).toBe(4);
});

test('A page of a unit of work permits a pause before each object that it parses', async () => {
  const { change, open } = await newWorld();
  await change((work) => {
    for (let n = 0; n < 30; n++) work.put(notes, { id: `n${n}`, topic: 'x' });
  });
  const { breathe, taken } = countingPauses();
  await open().all(notes, { limit: 30, breathe });
  expect(taken()).toBe(30);
  await open().find(notes, 'topic', 'x', { limit: 20, breathe });
  expect(taken()).toBe(20);
});
