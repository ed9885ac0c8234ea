import { expect, test as plainTest } from '@jest/globals';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const utc = (at: number): string => new Date(at).toISOString();
const ahead = (at: number): string => utc(at + 14 * HOUR).replace('Z', '+14:00');
const behind = (at: number): string => utc(at - 12 * HOUR).replace('.000Z', '-12:00');
/** The same instant in notations that sort differently as text. */
const notations: readonly (readonly [string, (at: number) => string])[] = [
  ['in UTC with milliseconds', utc],
  ['in UTC with whole seconds', (at) => utc(at).replace('.000Z', 'Z')],
  ['with nine fractional digits', (at) => utc(at).replace('Z', '999999Z')],
  ['with an offset ahead', ahead],
  ['with an offset behind', behind],
  ['in small letters', (at) => utc(at).toLowerCase()],
];

const OUT_OF_RANGE = ['0000-06-01T00:00:00Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z'];
const NO_INSTANT = [...OUT_OF_RANGE, '2026-02-30T00:00:00Z', '2026-03-01T10:00:60Z', '2026-03-01T10:00:00', '2026-03-01', 'yesterday', ''];

/** Whole seconds, the precision of every notation. */
const wholeSecond = async (rehearsal: TestRehearsal): Promise<number> => Math.floor((await rehearsal.now()) / 1_000) * 1_000;

const visit = (rehearsal: TestRehearsal, occurredAt: string, note = 'a visit', customerId = 'cus_ben') =>
  rehearsal.call('log-interaction-api', { body: { customerId, type: 'visit', note, occurredAt } });

test.each(notations)('An interaction whose instant is written %s is stored in UTC with milliseconds', async (rehearsal, _how, write) => {
  const at = (await wholeSecond(rehearsal)) - HOUR;
  const interactions = [expect.objectContaining({ occurredAt: utc(at) })];
  expect((await visit(rehearsal, write(at))).body).toMatchObject({ interactions });
  const [event] = await rehearsal.events({ type: 'customer-interaction-logged' });
  expect(event.data.object).toMatchObject({ interactions });
});

test('Interactions are sorted by time, whatever their notation', async (rehearsal) => {
  const now = await wholeSecond(rehearsal);
  for (const [index, minutes] of [50, 10, 40, 20, 60, 30].entries())
    await visit(rehearsal, notations[index]?.[1](now - minutes * MINUTE) ?? '', `${minutes}`);
  const { interactions, lastActivityAt } = await rehearsal.api('get-customer-api', { params: { id: 'cus_ben' } });
  expect(interactions.map(({ note }) => note)).toEqual(['10', '20', '30', '40', '50', '60']);
  expect(lastActivityAt).toBe(utc(now - 10 * MINUTE));
});

test('An interaction of the year 1 is stored, and its customer changes as usual', async (rehearsal) => {
  for (const customerId of ['cus_ben', 'cus_ada', 'cus_eve', 'cus_grace'])
    expect((await visit(rehearsal, '0001-01-01T00:00:00+00:00', 'long ago', customerId)).status).toBe(201);
  await rehearsal.advance('P400D');
  expect((await rehearsal.settle()).parked).toEqual([]);
});

test('An interaction later than now is refused, although its text sorts before now', async (rehearsal) => {
  const refused = await visit(rehearsal, behind((await wholeSecond(rehearsal)) + HOUR));
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/occurredAt', code: 'in_the_future' }] } });
});

test.each(NO_INSTANT)('The instant %j is refused with its pointer', async (rehearsal, at) => {
  const interaction = await rehearsal.call('log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit', occurredAt: at } });
  expect(interaction).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/occurredAt' }] } });
  const advance = await rehearsal.call('POST', '/_control/clock/advance', { to: at }, { as: 'admin' });
  expect(advance).toMatchObject({ status: 422, body: { errors: [{ pointer: '/to' }] } });
});

test.each(notations)('The clock can be moved to an instant written %s', async (rehearsal, _how, write) => {
  await rehearsal.control('set-clock', { body: { flowing: false } });
  const to = (await wholeSecond(rehearsal)) + 24 * HOUR;
  expect((await rehearsal.control('advance-clock', { body: { to: write(to) } })).now).toBe(utc(to));
});

/** A parcel that only the test scans. */
async function aParcel() {
  const rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
  const { shipmentId, fulfillmentOrderId } = await rehearsal.dispatchedOrder();
  await rehearsal.advance('PT2H');
  let sent = 0;
  /** Sends a webhook. @returns its status, its errors, and the state of the parcel */
  async function scan(status: string, occurredAt: string, more: object = {}) {
    const data = { shipmentId, status, occurredAt };
    const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: occurredAt, data, ...more });
    const { webhookSecret, webhookUrl } = rehearsal.credentials;
    const headers = { ...signWebhook(webhookSecret, { id: `scan-${++sent}`, at: await rehearsal.now(), body }) };
    const reply = await rehearsal.call('POST', webhookUrl, body, { as: 'none', headers });
    const [{ state }] = (await rehearsal.fulfillmentOrder(fulfillmentOrderId)).shipments;
    return [reply.status, state, reply.body?.errors.map(({ pointer }: { pointer: string }) => pointer)];
  }
  return { ...rehearsal, scan };
}

plainTest('Scans of webhooks are sorted by time, whatever their notation', async () => {
  await using parcel = await aParcel();
  const now = Math.floor((await parcel.now()) / 1_000) * 1_000;
  expect(await parcel.scan('collected', ahead(now - 60 * MINUTE))).toEqual([204, 'collected', undefined]);
  expect(await parcel.scan('in-transit', behind(now - 30 * MINUTE))).toEqual([204, 'in-transit', undefined]);
  // Later as text, earlier in time.
  expect(await parcel.scan('held-at-depot', ahead(now - 45 * MINUTE))).toEqual([204, 'in-transit', undefined]);
  const lower = utc(now - 10 * MINUTE).replace('.000Z', 'z');
  expect(await parcel.scan('out-for-delivery', lower)).toEqual([204, 'out-for-delivery', undefined]);
  await parcel.verify();
});

plainTest('A webhook without an instant is refused with its pointer', async () => {
  await using parcel = await aParcel();
  const now = utc(await parcel.now());
  for (const instant of NO_INSTANT) {
    expect(await parcel.scan('collected', now, { timestamp: instant })).toEqual([422, 'label-created', ['/timestamp']]);
    const data = { shipmentId: 'x', status: 'collected', occurredAt: instant, estimatedDelivery: { from: now, to: instant } };
    const pointers = ['/data/occurredAt', '/data/estimatedDelivery/to'];
    expect(await parcel.scan('collected', now, { data })).toEqual([422, 'label-created', pointers]);
  }
});
