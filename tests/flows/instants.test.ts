import { describe, expect, test } from '@jest/globals';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The same instant in ways that sort differently as text. */
const ways: readonly (readonly [string, (at: number) => string])[] = [
  ['in UTC with milliseconds', (at) => new Date(at).toISOString()],
  ['in UTC with whole seconds', (at) => new Date(at).toISOString().replace('.000Z', 'Z')],
  ['with nine fractional digits', (at) => new Date(at).toISOString().replace('Z', '999999Z')],
  ['with an offset ahead', (at) => new Date(at + 14 * HOUR).toISOString().replace('Z', '+14:00')],
  ['with an offset behind', (at) => new Date(at - 12 * HOUR).toISOString().replace('.000Z', '-12:00')],
  ['in small letters', (at) => new Date(at).toISOString().toLowerCase()],
];

const OUT_OF_RANGE = ['0000-06-01T00:00:00Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z'];
const NO_INSTANT = [...OUT_OF_RANGE, '2026-02-30T00:00:00Z', '2026-03-01T10:00:60Z', '2026-03-01T10:00:00', '2026-03-01', 'yesterday', ''];

/** Whole seconds, the precision of every notation. */
const wholeSecond = async (rehearsal: TestRehearsal): Promise<number> => Math.floor((await rehearsal.now()) / 1_000) * 1_000;

describe('An interaction', () => {
  test.each(ways)('that has its instant %s is stored in UTC with milliseconds', async (_how, write) => {
    await using rehearsal = await newRehearsal();
    const at = (await wholeSecond(rehearsal)) - HOUR;
    const kept = new Date(at).toISOString();
    const { interactions } = await rehearsal.api('log-interaction-api', {
      body: { customerId: 'cus_ben', type: 'visit', occurredAt: write(at) },
    });
    expect(interactions[0].occurredAt).toBe(kept);
    const [event] = await rehearsal.events({ type: 'customer-interaction-logged' });
    expect(event.data.object.interactions[0].occurredAt).toBe(kept);
    await rehearsal.verify();
  });

  test('is sorted by time, whatever its notation', async () => {
    await using rehearsal = await newRehearsal();
    const now = await wholeSecond(rehearsal);
    const minutesAgo = [50, 10, 40, 20, 60, 30];
    for (const [index, minutes] of minutesAgo.entries()) {
      const write = ways[index]?.[1] ?? String;
      const occurredAt = write(now - minutes * MINUTE);
      await rehearsal.api('log-interaction-api', { body: { customerId: 'cus_ben', type: 'visit', note: `${minutes}`, occurredAt } });
    }
    const customer = await rehearsal.api('get-customer-api', { params: { id: 'cus_ben' } });
    expect(customer.interactions.map(({ note }: { note: string }) => note)).toEqual(['10', '20', '30', '40', '50', '60']);
    expect(customer.lastActivityAt).toBe(new Date(now - 10 * MINUTE).toISOString());
  });

  test('of the year 1 is stored, and the customer changes as usual', async () => {
    await using rehearsal = await newRehearsal();
    for (const customerId of ['cus_ben', 'cus_ada', 'cus_eve', 'cus_grace']) {
      const occurredAt = '0001-01-01T00:00:00+00:00';
      await rehearsal.api('log-interaction-api', { body: { customerId, type: 'visit', note: 'long ago', occurredAt } });
    }
    await rehearsal.advance('P400D');
    expect((await rehearsal.settle()).parked).toEqual([]);
    await rehearsal.verify();
  });

  test.each(NO_INSTANT)('at %j is refused with its pointer', async (occurredAt) => {
    await using rehearsal = await newRehearsal();
    const refused = await rehearsal.call('log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit', occurredAt } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/occurredAt' }] } });
  });

  test('later than now is refused, although its text sorts before now', async () => {
    await using rehearsal = await newRehearsal();
    const occurredAt = new Date((await rehearsal.now()) + HOUR - 12 * HOUR).toISOString().replace('Z', '-12:00');
    const refused = await rehearsal.call('log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit', occurredAt } });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/occurredAt', code: 'in_the_future' }] } });
  });
});

describe('A carrier’s webhook', () => {
  /** A parcel that only the test scans. */
  async function aParcel() {
    const orders = await newRehearsal({ warehouse: 'manual' });
    await orders.client.control('set-progression', { body: { carrier: 'manual' } });
    const { id: orderId } = await orders.confirmed({ qty: 1 });
    const [{ id: fulfillmentOrderId }] = (await orders.order(orderId)).fulfillmentOrders;
    const picking = await orders.picked(fulfillmentOrderId);
    for (const status of ['started', 'picked', 'packed'] as const)
      await orders.api('update-picking-status-api', { params: { id: picking.id }, body: { status } });
    const { shipments } = await orders.api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
    await orders.advance('PT2H');
    const shipmentId: string = shipments[0].id;
    let sent = 0;
    async function scan(status: string, occurredAt: string, more: object = {}) {
      const body = JSON.stringify({
        type: 'shipment.tracking.updated',
        timestamp: occurredAt,
        data: { shipmentId, status, occurredAt },
        ...more,
      });
      const signed = signWebhook(orders.credentials.webhookSecret, { id: `scan-${++sent}`, at: await orders.now(), body });
      return orders.call('POST', orders.credentials.webhookUrl, body, { as: 'none', headers: { ...signed } });
    }
    const state = async (): Promise<string> => (await orders.fulfillmentOrder(fulfillmentOrderId)).shipments[0].state;
    return { rehearsal: orders, scan, state, [Symbol.asyncDispose]: () => orders[Symbol.asyncDispose]() };
  }

  test('may write instants in every notation, and its scans are sorted by time', async () => {
    await using parcel = await aParcel();
    const now = await wholeSecond(parcel.rehearsal);
    const [collected, inTransit, held] = [now - 60 * MINUTE, now - 30 * MINUTE, now - 45 * MINUTE];
    expect(await parcel.scan('collected', new Date(collected + 14 * HOUR).toISOString().replace('Z', '+14:00'))).toMatchObject({
      status: 204,
    });
    expect(await parcel.state()).toBe('collected');
    const behind = new Date(inTransit - 12 * HOUR).toISOString().replace('.000Z', '-12:00');
    expect(await parcel.scan('in-transit', behind)).toMatchObject({ status: 204 });
    expect(await parcel.state()).toBe('in-transit');
    // Later as text, earlier in time.
    expect(await parcel.scan('held-at-depot', new Date(held + 14 * HOUR).toISOString().replace('Z', '+14:00'))).toMatchObject({
      status: 204,
    });
    expect(await parcel.state()).toBe('in-transit');
    expect(await parcel.scan('out-for-delivery', new Date(now - 10 * MINUTE).toISOString().replace('.000Z', 'z'))).toMatchObject({
      status: 204,
    });
    expect(await parcel.state()).toBe('out-for-delivery');
    await parcel.rehearsal.verify();
  });

  test('without an instant is refused with its pointer', async () => {
    await using parcel = await aParcel();
    const now = new Date(await parcel.rehearsal.now()).toISOString();
    for (const instant of NO_INSTANT) {
      const at = await parcel.scan('collected', now, { timestamp: instant });
      expect(at).toMatchObject({ status: 422, body: { errors: [{ pointer: '/timestamp' }] } });
      const data = { shipmentId: 'x', status: 'collected', occurredAt: instant, estimatedDelivery: { from: now, to: instant } };
      const happened = await parcel.scan('collected', now, { data });
      const pointers = happened.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect([happened.status, pointers]).toEqual([422, ['/data/occurredAt', '/data/estimatedDelivery/to']]);
    }
  });
});

describe('The clock', () => {
  test.each(ways)('can be moved to an instant %s', async (_how, write) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-clock', { body: { flowing: false } });
    const to = (await wholeSecond(rehearsal)) + 24 * HOUR;
    const { now } = await rehearsal.client.control('advance-clock', { body: { to: write(to) } });
    expect(now).toBe(new Date(to).toISOString());
  });

  test.each(NO_INSTANT)('cannot be moved to %j', async (to) => {
    await using rehearsal = await newRehearsal();
    const refused = await rehearsal.call('POST', '/_control/clock/advance', { to }, { as: 'admin' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/to' }] } });
  });
});
