import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import { type ChangeName, FORBIDDEN, OPEN_LISTS, PERMITTED, TEXTS, UNORDERED_LISTS } from '../../shared/catalog/control/drift.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { ADDED, bodyChanges } from '../../shared/contract/drift/body-changes.ts';
import {
  changedAnswer,
  changedEvent,
  changesOf,
  changesOfApi,
  changesOfEvent,
  drawFrom,
  LONGEST_CHANGED,
} from '../../shared/contract/drift/drift.ts';
import { placesOf, shapeOf } from '../../shared/contract/drift/shapes.ts';
import { JsonSchemas } from '../../shared/contract/json-schemas.ts';
import { type Schema, schemasOf } from '../support/json-schema.ts';

const publicApis = Object.values<ApiDefinition>(apis);
const SAMPLES = 40;

/** Documents that fit a schema as it is published, and whether another one fits it for a tolerant reader, who accepts new values of open lists. */
function published(schema: z.ZodType) {
  const schemas = new JsonSchemas('draft-2020-12');
  const part = schemas.of(schema, 'output') as Schema;
  const parts = schemas.all();
  const open = Object.fromEntries(OPEN_LISTS.filter((name) => name in parts).map((name) => [name, { type: 'string' }]));
  const { fitting } = schemasOf({ components: { schemas: parts } });
  const tolerant = schemasOf({ components: { schemas: { ...parts, ...open } } });
  return {
    documents: fc.sample(
      fitting(part, () => undefined),
      { numRuns: SAMPLES, seed: 1 },
    ) as Record<string, unknown>[],
    misfit: (value: unknown) => tolerant.misfit(part, value),
  };
}

type Change = (json: string) => string | undefined;

/** The first document that has the change, before and after it. */
function firstChanged(documents: readonly unknown[], change: Change): readonly [before: unknown, after: string] | undefined {
  for (const document of documents) {
    const json = JSON.stringify(document);
    const changed = change(json);
    if (changed !== undefined) return [JSON.parse(json), changed];
  }
  return undefined;
}

const sorted = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, one) =>
    Array.isArray(one) ? one.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : one,
  );
const inUtc = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, one) => (/\+05:30$/.test(one) ? new Date(Date.parse(one)).toISOString() : one));
const withoutAdded = (value: unknown): unknown => JSON.parse(JSON.stringify(value), (name, one) => (name === ADDED ? undefined : one));

/** What a tolerant reader sees in a permitted change. */
const READ: { readonly [Name in ChangeName]?: (value: unknown) => unknown } = {
  'unknown-member': withoutAdded,
  'member-order': (value) => value,
  'item-order': sorted,
  'timestamp-form': inUtc,
};

const bodyChangesAmong = (names: readonly ChangeName[]) => names.filter((name) => bodyChanges[name] !== undefined);

describe.each(publicApis.filter(({ produces, status }) => produces === 'application/json' && status !== 204))(
  'The answer of $id',
  (api) => {
    const { documents, misfit } = published(api.response);
    test.each(bodyChangesAmong(changesOfApi(api)))('%s is permitted or wrong, and the same for one seed', (name) => {
      const change = (json: string) => changedAnswer(api, json, name, drawFrom('a'));
      const found = firstChanged(documents, change);
      if (!found) throw new Error(`No example of ${api.id} has the change.`);
      const [before, after] = found;
      expect(change(JSON.stringify(before))).toBe(after);
      expect(after).not.toBe(JSON.stringify(before));
      const value = JSON.parse(after);
      if ((PERMITTED as readonly string[]).includes(name)) {
        expect(misfit(value)).toBeUndefined();
        const read = READ[name];
        if (read) expect(read(value)).toEqual(read(before));
      } else expect(isDeepStrictEqual(sorted(value), sorted(before))).toBe(false);
    });
  },
);

describe.each(allEvents)('The event $name', (event) => {
  const definition = objects.find(({ type }) => type === event.object);
  if (!definition) throw new Error(`The event ${event.name} has no object.`);
  const { documents, misfit } = published(definition.schema);
  const events = documents.map((object) => ({ id: 'evt_1', type: event.name, time: '2026-03-01T10:00:00.000Z', data: { object } }));
  test.each(bodyChangesAmong(changesOfEvent(event)))('%s is permitted or wrong', (name) => {
    const found = firstChanged(events, (json) => changedEvent(event, json, name, drawFrom('a')));
    if (!found) throw new Error(`No example of ${event.name} has the change.`);
    const [before, value] = [found[0], JSON.parse(found[1])];
    expect([value.id, value.type]).toEqual(['evt_1', event.name]);
    if ((PERMITTED as readonly string[]).includes(name)) expect(misfit(value.data.object)).toBeUndefined();
    else expect(isDeepStrictEqual(sorted(value), sorted(before))).toBe(false);
  });
});

const order = (more: Record<string, unknown>) => JSON.stringify({ id: 'ord_1', version: 3, state: 'confirmed', ...more });
const changed = (name: ChangeName, json: string) => JSON.parse(changedAnswer(apis['get-order-api'], json, name, drawFrom('a')) ?? 'null');

test('A wrong total is one minor unit off, and no other amount is', () => {
  const eur = (amount: number) => ({ amount, currency: 'EUR' });
  const totals = { subtotal: eur(100), total: eur(120) };
  expect(changed('wrong-total', order({ totals, lines: [{ lineTotal: eur(100) }] }))).toMatchObject({
    totals: { subtotal: eur(100), total: eur(121) },
    lines: [{ lineTotal: eur(100) }],
  });
  expect(changed('wrong-minor-units', order({ totals }))).toMatchObject({ totals: { subtotal: eur(10_000), total: eur(12_000) } });
  expect(changed('wrong-minor-units', order({ totals: { total: eur(Number.MAX_SAFE_INTEGER - 1) } }))).toBeNull();
});

test('The previous state of an order precedes its state in the life cycle, and comes with the version before', () => {
  expect(changed('previous-state', order({}))).toMatchObject({ state: 'draft', version: 2 });
  expect(changed('previous-state', order({ state: 'draft' }))).toBeNull();
});

test('The previous state in an event is the state that the event reports', () => {
  const event = allEvents.find(({ name }) => name === 'order-cancelled');
  if (!event) throw new Error('The event is missing.');
  for (const previousState of ['draft', 'confirmed']) {
    const json = JSON.stringify({ data: { object: { state: 'cancelled', version: 3 }, previousState } });
    const after = JSON.parse(changedEvent(event, json, 'previous-state', drawFrom('a')) ?? 'null');
    expect(after).toEqual({ data: { object: { state: previousState, version: 2 }, previousState } });
  }
});

test('A page stays a page without its next cursor: the cursor is never the absent member', () => {
  const page = JSON.stringify({ items: [], nextCursor: 'c' });
  expect(changedAnswer(apis['list-orders-api'], page, 'absent-member', drawFrom('a'))).toBeUndefined();
});

test('Broken JSON of any object or list cannot be parsed', () => {
  for (const json of ['{}', '[]', '{"a":1}', '[1,2]', JSON.stringify({ text: '🧡🧡🧡' })]) {
    const broken = changedAnswer(apis['get-order-api'], json, 'broken-json', drawFrom('a')) ?? '{}';
    expect(() => JSON.parse(broken)).toThrow(SyntaxError);
  }
});

test('An answer that is too long to be changed in one turn stays as it is', () => {
  const long = JSON.stringify({ id: 'x'.repeat(LONGEST_CHANGED) });
  expect(changedAnswer(apis['get-order-api'], long, 'unknown-member', drawFrom('a'))).toBeUndefined();
});

test('Which changes apply follows from the target: what no client gets has none', () => {
  for (const id of Object.keys(internalCalls)) expect(changesOf({ api: id })).toEqual([]);
  expect(changesOf({ webhook: 'carrier' })).toEqual([]);
  expect(changesOf({ api: 'carrier-webhook' })).toEqual([]);
  expect(changesOf({ event: 'order-confirmed' })).toEqual(expect.arrayContaining(['missing-event', 'objects-swapped', 'previous-state']));
  expect(changesOf({ event: 'com.unified-commerce.order-confirmed' })).toEqual(changesOf({ event: 'order-confirmed' }));
  expect(changesOf({ webhook: 'shop' })).toEqual(expect.arrayContaining(['broken-json', 'unknown-member']));
  for (const api of publicApis) {
    const ofApplication = changesOf({ application: api.application });
    expect(changesOfApi(api).filter((name) => !ofApplication.includes(name))).toEqual([]);
  }
});

test('Each change applies to an API or an event, and each name that describes changes exists in a published schema', () => {
  const all = new Set([...publicApis.flatMap(changesOfApi), ...allEvents.flatMap(changesOfEvent)]);
  expect([...PERMITTED, ...FORBIDDEN].filter((name) => !all.has(name))).toEqual([]);
  const places = publicApis.flatMap(({ response }) => [...placesOf(shapeOf(response))]);
  const names = new Set(places.flatMap(({ shape }) => [...shape.names]));
  expect(OPEN_LISTS.filter((name) => !names.has(name))).toEqual([]);
  const lists = new Set(places.filter(({ shape }) => shape.items).map(({ member }) => member));
  expect(UNORDERED_LISTS.filter((name) => !lists.has(name))).toEqual([]);
  const texts = new Set(places.filter(({ shape }) => shape.types.has('string')).map(({ member }) => member));
  expect(TEXTS.filter((name) => !texts.has(name))).toEqual([]);
});
