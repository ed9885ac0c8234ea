import { expect, test } from '@jest/globals';
import { type BookedWorld, bookedSnapshot, bookedWorld, booksOf, comparedBooks } from '../../control/books/books.ts';
import { compare } from '../../control/snapshots/compare.ts';
import { estateDataOf, indexedBy, ofServices } from '../../control/snapshots/estate-data.ts';
import { fileOf, sealed, worldOf } from '../../control/snapshots/snapshot-file.ts';
import { oneEffect } from '../../control/verify/events.ts';
import { readWorld } from '../../control/verify/world-records.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { createReceive } from '../../estate/snapshot-checks.ts';
import { parsedInPieces } from '../../shared/domain/json-pieces.ts';
import { createSlices, NEVER_GONE } from '../../shared/process/slices.ts';
import { joinedBreathing, nextTurn } from '../../shared/process/waiting.ts';
import { journalLimits } from '../../shared/store/journal-limits.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { ExportedWorld } from '../../shared/store/ports/world-data.ts';
import { aPlan } from '../ports/a-plan.ts';
import { countingPauses } from '../support/counting-pauses.ts';

const ROWS = 2_000;
const row = (n: number) => ({ id: `ord_${n}`, version: 1, json: JSON.stringify({ id: `ord_${n}`, version: 1, padding: 'x'.repeat(100) }) });
const descriptorOf = (of: object | undefined, name: string) => Object.getOwnPropertyDescriptor(of ?? {}, name);
const credentials = { bearer: '', apiKey: '', webhookSecret: '' };

/** An exported world with many orders. */
async function anExportedWorld(): Promise<ExportedWorld> {
  const { worlds } = createMemoryStore({ journal: journalLimits({ records: 10, bytes: 10_000 }) });
  const objects = { orders: Array.from({ length: ROWS }, (_, n) => row(n)) };
  const oms = { objects, unique: {}, index: {}, counters: {} };
  return worlds.exportWorld(await worlds.open('many', { now: 0, applications: { oms }, due: [] }, credentials));
}

test('Making, sealing, reading, opening and comparing the file of a world permit a pause at each of its rows', async () => {
  const { breathe, taken } = countingPauses();
  const world = await anExportedWorld();
  const file = await fileOf(world, { estate: '1', name: 'many', rehearsal: 'many', takenAt: '2026-03-01T10:00:00.000Z' }, { breathe });
  const pauses = { file: taken(), sealed: 0, read: 0, opened: 0, compared: 0 };
  const { text } = await sealed(file, breathe);
  // The digest and the text each pass over the rows.
  pauses.sealed = taken() / 2;
  expect(await joinedBreathing([text, text], breathe)).toEqual(Buffer.concat([text, text]));
  expect(taken()).toBe(2);
  const read = await parsedInPieces(text, breathe);
  pauses.read = taken();
  const indexed = indexedBy(estateDataOf(registeredApplications.map(({ service }) => service)));
  const opened = await worldOf(read as typeof file, indexed, breathe);
  // The text and the entries of each index are made.
  pauses.opened = taken() / 3;
  await compare(bookedSnapshot(world), bookedSnapshot(opened), {
    objects,
    breathe,
  });
  pauses.compared = taken();
  expect(Object.entries(pauses).filter(([, times]) => times < ROWS)).toEqual([]);
});

const objects = objectsOf(registeredApplications.map(({ service }) => service));
const { application, collection } = objects['payment'] ?? { application: 'payment-hub', collection: '' };

const CARD = { type: 'card', token: 'tok_visa' };

/** A world with payments of an order each, and with the stock of some SKUs, which are out of sequence. */
function aBookedWorld({ payments, skus }: { readonly payments: number; readonly skus: number }): BookedWorld {
  const amount = { amount: 10, currency: 'EUR' };
  const amounts = { authorizedAmount: amount, capturedAmount: amount, refundedAmount: { ...amount, amount: 0 } };
  const payment = (n: number) => ({ id: `pay_${n}`, orderId: `ord_${n}`, state: 'captured', tender: CARD, ...amounts, refunds: [] });
  const rows = Array.from({ length: payments }, (_, n) => ({ id: `pay_${n}`, version: 1, json: JSON.stringify(payment(n)) }));
  const stock = Object.fromEntries(Array.from({ length: skus }, (_, n) => [`sku-${(n * 7) % skus}|dc-01`, { onHand: 5 }]));
  const empty = { objects: {}, unique: {}, index: {}, counters: {} };
  const applications = {
    [application]: { ...empty, objects: { [collection]: rows } },
    'inventory-service': { ...empty, counters: { stock } },
  };
  return { applications, due: [], events: [], parked: 0 };
}

test('The check for repeated effects, and the records of a verification, permit a pause at each event and each item of due work', async () => {
  const { worlds } = createMemoryStore({ journal: 'off' });
  const event = (n: number) => ({
    ...{ id: `evt_${n}`, topic: 'order', key: 'ord_1' },
    json: JSON.stringify({ id: `evt_${n}`, type: 'order-created', subject: 'order/ord_1', aggregateversion: n }),
  });
  const item = (n: number) =>
    ({
      application: 'oms',
      kind: 'expire-draft',
      key: `ord_${n}`,
      at: 1_000,
      correlationId: 'c',
      seq: n,
      attempts: 0,
      payload: {},
    }) as const;
  const exported = {
    ...(await anExportedWorld()),
    events: Array.from({ length: ROWS }, (_, n) => event(n)),
    due: Array.from({ length: ROWS }, (_, n) => item(n)),
  };
  const world = await worlds.open('many', exported, credentials);
  const { breathe, taken } = countingPauses();
  const records = await readWorld(worlds, world, { objects, breathe });
  // Events are parsed and made distinct; due work is filtered and searched for ids; objects are parsed.
  expect(taken()).toBeGreaterThanOrEqual(5 * ROWS);
  expect(await oneEffect(records, breathe)).toMatchObject({ holds: true });
  // Events and their keys.
  expect(taken()).toBeGreaterThanOrEqual(2 * ROWS);
});

test('The books of a world permit a pause at each payment in each pass', async () => {
  const { breathe, taken } = countingPauses();
  await booksOf(aBookedWorld({ payments: ROWS, skus: 0 }), objects, breathe);
  // Payments are read, added and, by their order, compared with their failed refunds.
  expect(taken()).toBeGreaterThanOrEqual(3 * ROWS);
});

test('Reading the books of a world in memory permits a pause at each thousand events', async () => {
  const { worlds } = createMemoryStore({ journal: 'off' });
  const json = JSON.stringify({ type: 'com.unified-commerce.order-created', subject: 'order/ord_1' });
  const event = (n: number) => ({ id: `evt_${n}`, topic: 'order', key: 'ord_1', json });
  const exported = { ...(await anExportedWorld()), events: Array.from({ length: 2_500 }, (_, n) => event(n)) };
  const world = await worlds.open('eventful', exported, credentials);
  const { breathe, taken } = countingPauses();
  expect((await bookedWorld(worlds, world, breathe)).events).toHaveLength(2_500);
  expect(taken()).toBeGreaterThanOrEqual(4);
});

test('The books of a world are sorted with pauses, and their comparison permits a pause at each entry', async () => {
  const { breathe, taken } = countingPauses();
  const books = await booksOf(aBookedWorld({ payments: 0, skus: ROWS }), objects, breathe);
  const names = books.entries.map(({ entry }) => entry);
  expect([names.length, names]).toEqual([ROWS, names.toSorted()]);
  // Stock is added, entries of zero are left out, and the sorted parts are joined twice.
  expect(taken()).toBeGreaterThanOrEqual(4 * ROWS);
  const changed = { ...books, entries: books.entries.slice(1).map((one, place) => (place === 0 ? { ...one, value: 6 } : one)) };
  const [first = '', second = ''] = names;
  expect(await comparedBooks(books, changed, breathe)).toEqual([
    { book: 'stock', entry: first, from: 5, to: 0 },
    { book: 'stock', entry: second, from: 5, to: 6 },
  ]);
  expect(taken()).toBeGreaterThanOrEqual(ROWS);
  expect(await comparedBooks(changed, books, breathe)).toHaveLength(2);
});

test('The comparison of the counters of two worlds permits a pause at each of them', async () => {
  const world = aBookedWorld({ payments: 0, skus: ROWS });
  const { breathe, taken } = countingPauses();
  await booksOf(world, objects, breathe);
  const ofBooks = 2 * taken() + ROWS;
  await compare(world, world, { objects, breathe });
  expect(taken() - ofBooks).toBeGreaterThanOrEqual(ROWS);
});

test('The data of a world in memory has the payloads of its due work unparsed', async () => {
  const { worlds } = createMemoryStore({ journal: 'off' });
  const due = [{ application: 'oms' as const, kind: 'expire-draft', key: 'x', at: 1_000, correlationId: 'req_1', payload: { id: 'x' } }];
  const [found] = (await worlds.data(await worlds.open('due', { now: 0, applications: {}, due }, credentials))).due;
  expect(found).toEqual(due[0]);
  expect(Object.getOwnPropertyDescriptor(found, 'payload')).toMatchObject({ get: expect.any(Function) });
});

test('The export of a world in memory makes unique values and indexes when they are read, as they were at the export', async () => {
  const { worlds, store } = createMemoryStore({ journal: 'off' });
  const objects = { things: [{ id: 'a', version: 1, order: 1, json: '{"id":"a"}' }] };
  const oms = { objects, unique: { 'things.mail': { x: 'a' } }, index: { 'things.kind': [['mug', 'a']] as const }, counters: {} };
  const known = new Map([['oms', { collections: new Map([['things', {}]]) }]]) as unknown as Parameters<typeof ofServices>[1];
  const world = await worlds.open('thing', { now: 1_000, applications: { oms }, due: [] }, credentials);
  const exported = ofServices(await worlds.exportWorld(world), known).applications.oms;
  const at = { collection: 'things', id: 'b' };
  const put = [{ ...at, read: 0, version: 1, json: '{"id":"b"}' }];
  const unique = [{ ...at, name: 'mail', value: 'y', was: null }];
  const index = [{ ...at, name: 'kind', value: 'mug', was: null }];
  await store('oms').commit(world, aPlan({ put, unique, index }));
  const made = ({ get }: PropertyDescriptor = {}): boolean => get !== undefined;
  expect([made(descriptorOf(exported, 'unique')), made(descriptorOf(exported, 'index'))]).toEqual([true, true]);
  expect([exported?.unique, exported?.index]).toEqual([oms.unique, oms.index]);
  const after = (await worlds.exportWorld(world)).applications.oms;
  expect(after?.unique).toEqual({ 'things.mail': { x: 'a', y: 'b' } });
  expect(after?.index).toEqual({ 'things.kind': [...oms.index['things.kind'], ['mug', 'b']] });
});

test('A store in memory opens and copies a large world in several turns', async () => {
  const { worlds } = createMemoryStore({ journal: 'off' });
  const exported = await anExportedWorld();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const world = await worlds.open('opened', exported, credentials);
  const opening = turns;
  await worlds.create('copy', { from: () => ({ copyOf: world }), credentials, idleMs: null, most: 9 });
  isOver = true;
  expect([opening >= ROWS / 200, turns - opening >= ROWS / 200]).toEqual([true, true]);
});

test('A file that takes more memory than its thread has ends the thread, and is refused', async () => {
  const inSlices = createSlices();
  const receive = createReceive({ most: 10_000_000, secrets: [], inSlices, threadMib: 20 });
  const bytes = Buffer.from(JSON.stringify({ format: 'unified-commerce-estate-snapshot', version: 1, events: ['x'.repeat(2_000_000)] }));
  await expect(receive({ bytes, name: 'big', reseal: true, unverified: true }, NEVER_GONE)).rejects.toMatchObject({
    code: 'payload_too_large',
    message: expect.stringContaining('takes more than 20 MiB of memory'),
  });
}, 60_000);

test('The check of a file ends when its client disconnects, in the thread and before it has begun', async () => {
  const receive = createReceive({ most: 10_000_000, secrets: [], inSlices: createSlices() });
  const bytes = () => Buffer.alloc(2_000_000, ' ');
  const [checking, waiting] = [new AbortController(), new AbortController()];
  const checks = [checking, waiting].map(({ signal }) => receive({ bytes: bytes(), name: 'left', reseal: true, unverified: true }, signal));
  const outcomes = Promise.allSettled(checks);
  // The first check has begun: each one begins in its own turn.
  await nextTurn();
  await nextTurn();
  waiting.abort(new Error('waiting'));
  checking.abort(new Error('checking'));
  expect(await outcomes).toEqual(['checking', 'waiting'].map((message) => ({ status: 'rejected', reason: new Error(message) })));
}, 60_000);

test('A short file of more than 5,000 kinds of objects, which take long to parse, is checked in the thread', async () => {
  const receive = createReceive({ most: 10_000_000, secrets: [], inSlices: createSlices(), threadMib: 4 });
  const checked = (kinds: number) => {
    const data = Array.from({ length: kinds }, (_, n) => ({ [`k${n}`]: 0 }));
    const bytes = Buffer.from(
      JSON.stringify({ format: 'unified-commerce-estate-snapshot', version: 1, data, padding: 'x'.repeat(30_000) }),
    );
    return receive({ bytes, name: 'kinds', reseal: true, unverified: true }, NEVER_GONE).catch(
      ({ code }: { readonly code: string }) => code,
    );
  };
  expect([await checked(100), await checked(6_000)]).toEqual(['validation_failed', 'payload_too_large']);
});
