import { expect } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

/** Makes what the request needs. @returns the request, and a read of the object that it changes */
type Prepare = (rehearsal: TestRehearsal) => Promise<{ readonly send: () => Promise<unknown>; readonly read: () => Promise<object> }>;

const cancelOrder: Prepare = async ({ confirmed, cancel, order }) => {
  const { id } = await confirmed({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
  return { send: () => cancel(id), read: () => order(id) };
};
const confirmOrder: Prepare = async ({ authorised, confirm, order }) => {
  const { id } = await authorised();
  return { send: () => confirm(id), read: () => order(id) };
};

test.each<readonly [title: string, application: Application, prepare: Prepare, leftOver: object]>([
  ['Cancel Order leaves payments to the Payment Hub', 'payment-hub', cancelOrder, { compensation: 'pending' }],
  ['Cancel Order leaves stock to the SIM', 'sim', cancelOrder, { compensation: 'pending' }],
  ['Cancel Order leaves vouchers to the Promotion Engine', 'promotion-engine', cancelOrder, { compensation: 'pending' }],
  ['Confirm Order leaves the routing to the FMS', 'fms', confirmOrder, { routingStatus: 'retrying' }],
])(
  '%s while it is down, and the part is done as soon as the fault is deleted',
  async (rehearsal, _title, application, prepare, leftOver) => {
    const { send, read } = await prepare(rehearsal);
    await rehearsal.down(application);
    await send();
    expect(await read()).toMatchObject(leftOver);
    await rehearsal.noFaults();
    await rehearsal.settle();
    for (const member of Object.keys(leftOver)) expect(await read()).not.toHaveProperty(member);
  },
);

test('Dispatch Fulfillment Order leaves the parcel to the Carrier Platform while it is down, and hands it over as soon as the fault is deleted', async (rehearsal) => {
  const { fulfillmentOrderId: id } = await rehearsal.packedOrder();
  await rehearsal.down('carrier-platform');
  await rehearsal.api('dispatch-fulfillment-order-api', { params: { id }, body: {} });
  const parcel = async () => (await rehearsal.fulfillmentOrder(id)).shipments[0];
  expect(await parcel()).toMatchObject({ state: 'pending', labelStatus: 'failed' });
  const { reasons } = await rehearsal.control('explain-object', { params: { type: 'fulfillment-order', id } });
  expect(reasons[0]).toMatchObject({ code: 'waits-for-carrier', text: 'It waits for the carrier to register its parcel.' });
  await rehearsal.noFaults();
  await rehearsal.settle();
  expect(await parcel()).toMatchObject({ state: 'label-created', labelStatus: 'ready' });
});

test('Dispatch Fulfillment Order leaves the goods to the SIM while it is down, and they leave the stock as soon as the fault is deleted', async (rehearsal) => {
  const { orderId, fulfillmentOrderId: id } = await rehearsal.packedOrder();
  const { reservationId } = (await rehearsal.order(orderId)).lines[0];
  await rehearsal.down('sim');
  await rehearsal.api('dispatch-fulfillment-order-api', { params: { id }, body: {} });
  const reservation = async () => (await rehearsal.object('reservation', reservationId)).state;
  expect(await reservation()).toBe('confirmed');
  await rehearsal.noFaults();
  await rehearsal.settle();
  expect(await reservation()).toBe('fulfilled');
});
