import { text as textOf } from 'node:stream/consumers';
import { describe, expect, test as plainTest } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { withSteps } from '../support/steps/rehearsal-at.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const CONFIRMED = { event: 'order-confirmed' };
const CHANGED = { event: 'ext.basket-changed' };
const permitted = (change: string) => ({ kind: 'permitted', change });
const forbidden = (change: string) => ({ kind: 'forbidden', change });
const ben = (rehearsal: Pick<TestRehearsal, 'api'>) => rehearsal.api('get-customer-api', { params: { id: 'cus_ben' } });
const subscribe = (rehearsal: TestRehearsal, url: string, types: string[]) =>
  rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url, types } });
const hits = async (rehearsal: TestRehearsal) => Object.fromEntries((await rehearsal.faults()).map((fault) => [fault.name, fault.hits]));

async function newBasket(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web' } });
  const change = () => rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } });
  return { subject: `basket/${id}`, change };
}

describe('Events that a fault changes for clients', () => {
  test('List Events and a webhook get a changed event, its subscribers the original, and every invariant holds', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    await using receiver = await receiveEvents();
    await subscribe(rehearsal, receiver.url, ['order-confirmed']);
    await rehearsal.fault('member', { match: CONFIRMED, fault: permitted('unknown-member') });
    const { id } = await rehearsal.confirmed({ customerId: 'cus_ben' });
    const [listed] = await rehearsal.events({ type: 'order-confirmed' });
    expect([listed.subject, listed.data.object.addedLater]).toEqual([`order/${id}`, { since: 'a later version', values: [1, 2] }]);
    expect(receiver.received.map(({ text }) => JSON.parse(text))).toEqual([listed]);
    expect(await rehearsal.faults()).toMatchObject([{ name: 'member', hits: 1, struck: [{ eventId: listed.id }] }]);
    expect((await ben(rehearsal)).state).toBe('active');
    const read = await rehearsal.control('read-event', { params: { id: listed.id } });
    expect(read).toMatchObject({ event: listed, consumers: [{ state: 'consumed' }, { state: 'consumed' }] });
    await rehearsal.verify();
  });

  test.each(['member-order', 'item-order', 'absent-member', 'open-value', 'timestamp-form', 'long-text'])(
    'With the permitted change %s of every order event, the world agrees',
    async (rehearsal, change) => {
      for (const event of ['order-created', 'order-confirmed', 'payment-authorized', 'payment-captured', 'ext.order-changed']) {
        if (change === 'item-order' && event.startsWith('payment')) continue;
        if (change === 'long-text' && event.startsWith('payment')) continue;
        await rehearsal.fault(`on-${event}`, { match: { event }, fault: permitted(change) });
      }
      await rehearsal.confirmed({ customerId: 'cus_ben' });
      await rehearsal.settle();
      expect((await ben(rehearsal)).state).toBe('active');
      expect((await rehearsal.control('verify')).holds).toBe(true);
    },
  );

  test('A missing event reaches no client, and its subscribers get it', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    await using receiver = await receiveEvents();
    await subscribe(rehearsal, receiver.url, ['order-created', 'order-confirmed']);
    await rehearsal.fault('gone', { match: CONFIRMED, fault: forbidden('missing-event'), times: 1 });
    await rehearsal.confirmed({ customerId: 'cus_ben' });
    expect(await rehearsal.events({ type: 'order-confirmed' })).toEqual([]);
    expect(receiver.types()).toEqual(['order-created']);
    expect((await ben(rehearsal)).state).toBe('active');
    const found = await rehearsal.control('wait-for-events', { body: { type: 'order-confirmed', timeoutMs: 0 } });
    expect(found).toMatchObject({ found: false, items: [] });
    await rehearsal.noFaults();
    const { id } = await rehearsal.confirmed();
    expect((await rehearsal.events({ type: 'order-confirmed' })).map(({ subject }) => subject)).toEqual([`order/${id}`]);
    expect(await hits(rehearsal)).toEqual({});
  });

  test('A confirmed order arrives in the state that its event reports as the previous one', async (rehearsal) => {
    await rehearsal.fault('stale', { match: CONFIRMED, fault: forbidden('previous-state') });
    const { id, version } = await rehearsal.confirmed();
    const [{ data }] = await rehearsal.events({ type: 'order-confirmed' });
    expect(data.object).toMatchObject({ id, state: data.previousState });
    expect(data.object.version).toBeLessThan(version);
    expect((await rehearsal.order(id)).state).not.toBe(data.previousState);
  });

  test('An event without the place of a change passes unchanged and does not count', async (rehearsal) => {
    await rehearsal.fault('tenders', { match: CHANGED, fault: permitted('item-order') });
    const basket = await newBasket(rehearsal);
    await basket.change();
    const [event] = await rehearsal.events({ type: CHANGED.event, subject: basket.subject });
    expect(event.data.object.lines).toHaveLength(1);
    expect(await hits(rehearsal)).toEqual({ tenders: 0 });
  });
});

plainTest('In rehearsals with one seed, the same events get the same changes, and the subscribers act alike', async () => {
  const outcome = async () => {
    const beginning = { seed: 'drift', startsAt: '2026-03-01T10:00:00Z' };
    await using rehearsal = withSteps(await openRehearsal(estate.gateway, { warehouse: 'manual' }, beginning));
    await rehearsal.fault('absent', { match: CONFIRMED, fault: permitted('absent-member') });
    await rehearsal.fault('gone', { match: { event: 'payment-authorized' }, fault: forbidden('missing-event') });
    await rehearsal.confirmed({ customerId: 'cus_ben' });
    const events = await rehearsal.events({ ext: true });
    return { state: (await ben(rehearsal)).state, objects: events.map(({ type, data }) => JSON.stringify([type, data.object])).sort() };
  };
  const [one, other] = [await outcome(), await outcome()];
  expect(one).toEqual(other);
  expect(one.state).toBe('active');
});

describe('Events of two objects in the other order', () => {
  const ids = async (rehearsal: TestRehearsal) =>
    (await rehearsal.events({ type: CHANGED.event })).map(({ subject, aggregateversion }) => [subject, aggregateversion]);

  test('An event follows the next one of another object', async (rehearsal) => {
    const [one, other] = [await newBasket(rehearsal), await newBasket(rehearsal)];
    await rehearsal.fault('swap', { match: CHANGED, fault: permitted('objects-swapped'), times: 1 });
    await one.change();
    expect(await ids(rehearsal)).toEqual([]);
    expect((await rehearsal.settle()).withheld).toMatchObject([{ what: 'event', fault: 'swap' }]);
    await other.change();
    await one.change();
    expect(await ids(rehearsal)).toEqual([
      [other.subject, 2],
      [one.subject, 2],
      [one.subject, 3],
    ]);
    expect(await hits(rehearsal)).toEqual({ swap: 1 });
  });

  test('The events of one object stay in order while they wait for another object', async (rehearsal) => {
    const [one, other] = [await newBasket(rehearsal), await newBasket(rehearsal)];
    await rehearsal.fault('swap', { match: CHANGED, fault: permitted('objects-swapped') });
    for (let n = 0; n < 3; n++) await one.change();
    expect(await ids(rehearsal)).toEqual([]);
    await other.change();
    expect(await ids(rehearsal)).toEqual([[other.subject, 2], ...[2, 3, 4].map((version) => [one.subject, version])]);
  });

  test.each<[string, (rehearsal: TestRehearsal) => Promise<unknown>]>([
    ['after a day', (rehearsal) => rehearsal.advance('P1D')],
    ['when the fault is deleted', (rehearsal) => rehearsal.noFaults()],
  ])('Events that wait for another object arrive in order %s', async (rehearsal, _when, release) => {
    const basket = await newBasket(rehearsal);
    await rehearsal.fault('swap', { match: CHANGED, fault: permitted('objects-swapped') });
    for (let n = 0; n < 3; n++) await basket.change();
    expect(await ids(rehearsal)).toEqual([]);
    await release(rehearsal);
    expect((await ids(rehearsal)).slice(0, 3)).toEqual([2, 3, 4].map((version) => [basket.subject, version]));
  });
});

describe('Webhooks that a fault changes', () => {
  test('Only the registered webhook gets the change, signed, and a repeat of a refused delivery has the original', async (rehearsal) => {
    await using receiver = await receiveEvents((_received, attempt) => ({ status: attempt === 1 ? 400 : 204 }));
    await subscribe(rehearsal, receiver.url, ['order-confirmed']);
    await rehearsal.fault('total', { match: { webhook: 'shop' }, fault: forbidden('wrong-total'), times: 1 });
    await rehearsal.confirmed();
    await rehearsal.advance('PT5M');
    const [listed] = await rehearsal.events({ type: 'order-confirmed' });
    const [wrong, right] = receiver.received.map(({ text }) => JSON.parse(text));
    expect(right).toEqual(listed);
    expect(wrong.data.object.totals).not.toEqual(listed.data.object.totals);
    expect(await rehearsal.faults()).toMatchObject([{ hits: 1, struck: [{ webhookId: listed.id }] }]);
    const sent = (await rehearsal.journal()).filter(({ api }) => api === 'webhook:shop');
    expect(sent.map(({ faults, request }) => [faults, request])).toEqual([
      [['total'], wrong],
      [[], right],
    ]);
  });

  test('A webhook whose JSON is broken keeps its id, and the journal has its text', async (rehearsal) => {
    const texts: string[] = [];
    await using receiver = await serving(async (request, response) => {
      texts.push(await textOf(request));
      response.writeHead(204).end();
    });
    await subscribe(rehearsal, receiver.url, ['order-created']);
    await rehearsal.fault('half', { match: { webhook: 'shop' }, fault: forbidden('broken-json'), times: 1 });
    await rehearsal.draft();
    await rehearsal.settle();
    const sent = (await rehearsal.journal()).filter(({ api }) => api === 'webhook:shop');
    expect(sent).toMatchObject([{ faults: ['half'] }]);
    expect(texts).toEqual([sent[0].request]);
    expect(() => JSON.parse(sent[0].request)).toThrow(SyntaxError);
  });
});
