import { expect, test } from '@jest/globals';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { serving } from '../conform/serving.ts';
import { newRehearsal } from '../support/estate.ts';
import { startCarrier } from '../support/real-carrier.ts';

type Carrier = Awaited<ReturnType<typeof startCarrier>>;
const swappedTo = ({ url }: Carrier) => newRehearsal({ warehouse: 'manual' }, undefined, { 'carrier-platform': { url } });
type Swapped = Awaited<ReturnType<typeof swappedTo>>;

const violationsOf = async (rehearsal: Swapped) =>
  (await rehearsal.control('list-swaps')).items.flatMap(({ violations }) => violations.map(({ name, api }) => `${name} at ${api}`));

/** Dispatches a packed fulfillment order. @returns its parcel in the answer */
async function dispatched(rehearsal: Swapped) {
  const { fulfillmentOrderId: id } = await rehearsal.packedOrder();
  const { body } = await rehearsal.dispatch(id);
  const parcelNow = async () => (await rehearsal.fulfillmentOrder(id)).shipments[0];
  return { id, parcel: body.shipments[0] as { id: string; state: string; labelStatus: string; trackingNumber?: string }, parcelNow };
}

test('A label that a real carrier does not make is no_effect, and the next attempt makes it', async () => {
  await using carrier = await startCarrier((call, _honest, parcel) => (call === 'label' ? { status: 200, body: parcel } : undefined));
  await using rehearsal = await swappedTo(carrier);
  const { parcel, parcelNow } = await dispatched(rehearsal);
  expect(parcel).toMatchObject({ state: 'pending', labelStatus: 'failed' });
  expect(await violationsOf(rehearsal)).toEqual(['no_effect at generate-label-api']);
  carrier.behave(() => undefined);
  await rehearsal.advance('PT1H');
  expect(await parcelNow()).toMatchObject({ state: 'label-created', labelStatus: 'ready', trackingNumber: expect.stringMatching(/^REAL/) });
  expect((await rehearsal.events({ type: 'shipment-label-generated' })).length).toBe(1);
});

test('A label that a real carrier never makes is parked', async () => {
  await using carrier = await startCarrier((call, _honest, parcel) => (call === 'label' ? { status: 200, body: parcel } : undefined));
  await using rehearsal = await swappedTo(carrier);
  const { parcelNow } = await dispatched(rehearsal);
  await rehearsal.advance('P10D');
  expect((await rehearsal.settle()).parked).toMatchObject([
    { error: expect.stringContaining('answered generate-label-api with success, and the shipment is pending') },
  ]);
  expect(await parcelNow()).toMatchObject({ state: 'pending', labelStatus: 'failed' });
});

test.each<[lie: string, lie: object, violation: string]>([
  ['without a trackingNumber', { trackingNumber: undefined }, 'wrong_shape'],
  ['without a document', { label: undefined }, 'wrong_shape'],
  ['with a blank trackingNumber', { trackingNumber: '   ' }, 'wrong_shape'],
  ['with a trackingNumber of two lines', { trackingNumber: 'A\nB' }, 'wrong_shape'],
  ['with a trackingNumber without end', { trackingNumber: 'A'.repeat(65) }, 'wrong_shape'],
  ['whose address runs a script', { label: { format: 'PDF', url: 'javascript:alert(1)' } }, 'wrong_shape'],
  ['whose labelStatus is none', { labelStatus: 'none' }, 'no_effect'],
  ['whose labelStatus is failed', { labelStatus: 'failed' }, 'no_effect'],
  ['for another fulfillment order', { fulfillmentOrderId: 'ffo_other' }, 'changed_fact'],
])('A label of a real carrier %s is refused by name, and made later', async (_lie, lie, violation) => {
  await using carrier = await startCarrier((call, honest) =>
    call === 'label' ? { status: 200, body: { ...(honest().body as object), ...lie } } : undefined,
  );
  await using rehearsal = await swappedTo(carrier);
  const { parcel, parcelNow } = await dispatched(rehearsal);
  expect(parcel).toMatchObject({ state: 'pending', labelStatus: 'failed' });
  expect(await violationsOf(rehearsal)).toEqual([`${violation} at generate-label-api`]);
  carrier.behave(() => undefined);
  await rehearsal.advance('PT1H');
  expect(await parcelNow()).toMatchObject({ state: 'label-created', labelStatus: 'ready' });
});

test('A second label of a real carrier with another number is changed_fact, in each answer and report', async () => {
  await using carrier = await startCarrier();
  await using rehearsal = await swappedTo(carrier);
  const { parcel, parcelNow } = await dispatched(rehearsal);
  const { id, trackingNumber } = parcel;
  const known = await rehearsal.object('shipment', id);
  const other = { ...carrier.parcels.get(id), version: 9, trackingNumber: 'OTHER-1' };
  carrier.behave(() => ({ status: 200, body: other }));
  for (const api of ['generate-label-api', 'track-shipment-api'] as const) {
    const answer = await rehearsal.call(api, { params: { id }, ...(api === 'generate-label-api' && { body: {} }) } as never);
    expect([api, answer.status, answer.body['violation']]).toEqual([api, 502, 'changed_fact']);
  }
  const report = await rehearsal.call('report-change', { body: { object: 'shipment', data: other } as never });
  expect(report.body).toMatchObject({ status: 422, errors: [{ pointer: '/data', code: 'changed_fact' }] });
  expect(await rehearsal.object('shipment', id)).toEqual(known);
  expect((await parcelNow())?.trackingNumber).toBe(trackingNumber);
});

test('Members of a real carrier that the estate does not have are ignored in answers and reports', async () => {
  const window = { from: '2030-01-01T08:00:00.000Z', to: '2030-01-01T18:00:00.000Z', slot: 'morning' };
  const more = { depot: 'D-1', estimatedDelivery: window };
  await using carrier = await startCarrier((call, honest) =>
    call === 'label' ? { status: 200, body: { ...(honest().body as object), ...more } } : undefined,
  );
  await using rehearsal = await swappedTo(carrier);
  const { parcel } = await dispatched(rehearsal);
  expect([parcel.labelStatus, await violationsOf(rehearsal)]).toEqual(['ready', []]);
  const known = await rehearsal.object('shipment', parcel.id);
  expect(known.estimatedDelivery).toEqual({ from: window.from, to: window.to });
  const data = { ...known, ...more, version: 9, state: 'collected' };
  const { body } = await rehearsal.call('report-change', { body: { object: 'shipment', data } as never });
  expect(body).toMatchObject({ changed: true, object: { state: 'collected', estimatedDelivery: { from: window.from } } });
});

test('A label of a real carrier from the future does not hide the scans that follow', async () => {
  const made = { status: 'label-created', statusCode: 'pre_transit', occurredAt: '9999-12-31T00:00:00.000Z' };
  await using carrier = await startCarrier((call, honest) =>
    call === 'label' ? { status: 200, body: { ...(honest().body as object), events: [made] } } : undefined,
  );
  await using rehearsal = await swappedTo(carrier);
  const { parcel, parcelNow } = await dispatched(rehearsal);
  expect(parcel.labelStatus).toBe('ready');
  const now = await rehearsal.now();
  const occurredAt = new Date(now).toISOString();
  const scan = {
    type: 'shipment.tracking.updated',
    timestamp: occurredAt,
    data: { shipmentId: parcel.id, status: 'collected', occurredAt },
  };
  const body = JSON.stringify(scan);
  // The estate stores the scans of its carrier under ids of this form.
  const signature = signWebhook(rehearsal.credentials.webhookSecret, { id: `${parcel.id}.1`, at: now, body });
  const headers = { 'content-type': 'application/json', ...signature };
  const { status } = await rehearsal.call('carrier-webhook', { query: { rehearsal: rehearsal.name }, body, headers, as: 'none' } as never);
  expect([status, (await parcelNow())?.state]).toEqual([204, 'collected']);
});

test('A violation shows the answer of a real system without control characters', async () => {
  await using server = await serving((_request, response) => response.writeHead(200).end('\u001b]0;owned\u0007\u001b[2Jplease\u0000 wait'));
  await using rehearsal = await newRehearsal(undefined, undefined, { 'carrier-platform': { url: server.url } });
  const { body } = await rehearsal.call('generate-label-api', { params: { id: 'shp_1' }, body: {} });
  expect(body['detail']).toContain('a body that is not JSON: please wait');
});
