import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { STORE } from '../support/steps/return.ts';
import { eur } from '../support/steps/tender.ts';

/** A confirmed order whose parcel has its label and no scan. The carrier is worked by hand. */
async function labelled(scene: TestRehearsal, service: 'ATTEMPT3' | 'LOST' | 'STANDARD' = 'STANDARD') {
  const { id: orderId } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 1 }] });
  await scene.authorisation(orderId);
  await scene.confirmed(orderId);
  const [fulfillmentOrder] = await scene.routed(orderId);
  const shipmentId = await scene.dispatched(fulfillmentOrder?.id ?? '', { service });
  await scene.settle();
  return { orderId, shipmentId, fulfillmentOrderId: fulfillmentOrder?.id ?? '' };
}

const byParcel = async (scene: TestRehearsal, more: object = {}) => {
  const order = await scene.completed();
  const { id } = await scene.announced(order, 2, { dropOff: 'carrier', ...more });
  await scene.moved(id, 'approve');
  const parcel: string = (await scene.object('return', id)).shipments[0].id;
  return { id, order, parcel };
};

const copyOf = async (scene: TestRehearsal, fulfillmentOrderId: string) =>
  (await scene.fulfillmentOrder(fulfillmentOrderId)).shipments[0].state;

describe('A parcel whose label was made and that is never collected', () => {
  test('is lost after 14 days: its order ends and captured money is refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { orderId, shipmentId } = await labelled(scene);
    await scene.advance('P13DT23H');
    expect((await scene.order(orderId)).state).toBe('in-fulfilment');
    await scene.advance('PT2H');
    const order = await scene.order(orderId);
    expect([order.state, order.paymentStatus, order.payments[0].refundedAmount]).toEqual([
      ...['cancelled', 'refunded', order.payments[0].capturedAmount],
    ]);
    const { body } = await scene.call('track-shipment-api', { params: { id: shipmentId } });
    expect(body.state).toBe('lost');
    await scene.verify();
  });

  test('of a return leaves the goods with the customer: the return is rejected a week later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { id, order, parcel } = await byParcel(scene);
    await scene.advance('P20D');
    expect(await scene.object('return', id)).toMatchObject({ state: 'approved', shipments: [{ state: 'lost' }] });
    await scene.verify();
    await scene.advance('P1DT1H');
    expect(await scene.object('return', id)).toMatchObject({
      state: 'rejected',
      rejectReason: 'Its parcel was never handed to the carrier.',
    });
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 0 }] });
    const { status, body } = await scene.call('POST', `/_control/shipments/${parcel}/find`, {}, { as: 'admin' });
    expect([status, body.allowedScans, body.allowedFrom]).toEqual([409, [], []]);
    expect(body.detail).toBe(
      `The customer never handed over the parcel "${parcel}" of the return "${id}", so it cannot be found. No further scan is allowed.`,
    );
    expect((await scene.announced(order, 2)).state).toBe('requested');
    await scene.verify();
  });

  test('of a return may still come to the store in that week', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { id } = await byParcel(scene, { locationId: STORE });
    await scene.advance('P15D');
    await scene.moved(id, 'receive', 'inspect');
    await scene.advance('P10D');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });
});

describe('A parcel that a carrier outside the estate scans', () => {
  const report = async (scene: TestRehearsal, id: string, shipmentId: string, status: string) =>
    scene.webhook(id, { shipmentId, status, occurredAt: new Date(await scene.now()).toISOString() });

  test('is lost 14 days after the last scan of that carrier, not after the silence of the Carrier Platform', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { orderId, shipmentId, fulfillmentOrderId } = await labelled(scene);
    await scene.advance('P10D');
    await report(scene, 'one', shipmentId, 'in-transit');
    await scene.advance('P13D');
    expect(await copyOf(scene, fulfillmentOrderId)).toBe('in-transit');
    const ignored = (await scene.journal()).findLast(({ api }) => api === 'carrier-webhook');
    expect(ignored?.unchanged).toBe('A carrier outside the estate scans the parcel, so the Carrier Platform cannot report its loss.');
    await scene.advance('P1DT1H');
    expect(await copyOf(scene, fulfillmentOrderId)).toBe('lost');
    expect((await scene.order(orderId)).state).toBe('cancelled');
    await scene.verify();
  });

  test('does not change any more once that carrier has delivered it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { orderId, shipmentId } = await labelled(scene);
    await report(scene, 'one', shipmentId, 'in-transit');
    await report(scene, 'two', shipmentId, 'delivered');
    await scene.advance('P30D');
    expect((await scene.order(orderId)).state).toBe('completed');
    await scene.verify();
  });
});

describe('A parcel of service ATTEMPT3', () => {
  test('is back a week after its third attempt: tracking, parcel, stock and refund agree', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'time' });
    const { orderId, shipmentId, fulfillmentOrderId } = await labelled(scene, 'ATTEMPT3');
    const fulfillmentOrder = await scene.fulfillmentOrder(fulfillmentOrderId);
    const before = await scene.onHand('mug-blue', fulfillmentOrder.locationId);
    await scene.advance('PT76H');
    await scene.advance('P7D');
    const { body } = await scene.call('track-shipment-api', { params: { id: shipmentId } });
    expect([body.state, await copyOf(scene, fulfillmentOrderId)]).toEqual(['returned-to-sender', 'returned-to-sender']);
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({
      state: 'returned-to-sender',
    });
    expect(await scene.onHand('mug-blue', fulfillmentOrder.locationId)).toBe(before + 1);
    const order = await scene.order(orderId);
    expect([order.state, order.payments[0].refundedAmount]).toEqual(['cancelled', order.payments[0].capturedAmount]);
    await scene.advance('P30D');
    expect((await scene.order(orderId)).state).toBe('cancelled');
    await scene.verify();
  });
});

describe('Rejecting a return whose goods may still arrive', () => {
  test.each([
    [[], 'label-created', 'Wait until the parcel arrives'],
    [['collect'], 'collected', 'Wait until the parcel arrives'],
    [['collect', 'depart'], 'in-transit', 'Wait until the parcel arrives'],
    [['collect', 'lose'], 'lost', 'Write the return off'],
  ] as const)('after the scans %j is refused with the remedy', async (scans, state, remedy) => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { id, parcel } = await byParcel(scene);
    await scene.scanned(parcel, ...scans);
    const refused = await scene.move(id, 'reject');
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[409, 'invalid_state_transition', expect.stringContaining(`is ${state}, so its goods may still arrive. ${remedy}`)],
    ]);
    await scene.verify();
  });

  test('keeps its units out of any other return until they arrive: they are refunded once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { id, order, parcel } = await byParcel(scene);
    await scene.scanned(parcel, 'collect', 'depart');
    expect((await scene.move(id, 'reject')).status).toBe(409);
    const lines = [{ orderLineId: order.lines[0].lineId, qty: 2, reason: 'too small' }];
    const again = await scene.announce({ orderId: order.id, locationId: STORE, lines });
    expect([again.status, again.body.code]).toEqual([409, 'return_quantity_exceeded']);
    await scene.scanned(parcel, 'out-for-delivery', 'deliver');
    await scene.moved(id, 'inspect');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect((await scene.order(order.id)).payments[0].refundedAmount).toEqual(eur(2598));
    await scene.verify();
  });

  test('after the inspection gives the units back to the customer', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual', refund: 'manual' });
    const { id, order, parcel } = await byParcel(scene);
    await scene.scanned(parcel, 'collect', 'depart', 'out-for-delivery', 'deliver');
    await scene.moved(id, 'inspect', 'reject');
    expect((await scene.object('return', id)).state).toBe('rejected');
    expect((await scene.announced(order, 2)).state).toBe('requested');
    await scene.verify();
  });

  test('which was never brought to the store succeeds', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 2);
    await scene.moved(id, 'approve', 'reject');
    expect((await scene.order(order.id)).state).toBe('completed');
    await scene.verify();
  });
});
