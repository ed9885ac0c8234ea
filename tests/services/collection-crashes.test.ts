import { expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { crashesDuring, eachCrash, type OneRequest, type Step } from '../support/each-crash.ts';
import { collectionSteps } from '../support/steps/collection.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';
import { ADDRESS } from '../support/steps/order.ts';

/** Goods at a counter: they are handed over or put back once, and the order, the stock and the shipment agree in the end. */
interface Request extends OneRequest {
  readonly id: string;
  readonly orderId: string;
}

const steps = (estate: CrashingEstate) => {
  const story = crashSteps(estate);
  return { ...story, ...collectionSteps(story) };
};

/** The states of order and shipment for each state of the fulfillment order, with the units on hand in the store and reserved there. */
const END: Readonly<Record<string, object>> = {
  packed: { order: 'in-fulfilment', stock: { onHand: 50, reserved: 2 } },
  dispatched: { order: 'in-fulfilment', shipment: 'held-at-depot', stock: { onHand: 50, reserved: 2 } },
  delivered: { order: 'completed', shipment: 'delivered', stock: { onHand: 48, reserved: 0 } },
  'returned-to-sender': { order: 'cancelled', shipment: 'returned-to-sender', stock: { onHand: 50, reserved: 0 } },
};

const endsIn =
  (before: string, after: string) =>
  async (estate: CrashingEstate, { id, orderId }: Request, insists: boolean): Promise<void> => {
    const { fulfillmentOrder, order, stockAt, api } = steps(estate);
    const { state, shipments } = await fulfillmentOrder(id);
    if (insists) expect(state).toBe(after);
    expect([before, after]).toContain(state);
    const shipmentId = shipments[0]?.id;
    const shipment = shipmentId === undefined ? undefined : (await api('track-shipment-api', { params: { id: shipmentId } })).state;
    expect({ order: (await order(orderId)).state, shipment, stock: await stockAt('mug-blue') }).toEqual({
      shipment: undefined,
      ...END[state],
    });
  };

const atCounter =
  (request: (found: { fulfillmentOrderId: string; orderId: string; code: string }) => OneRequest) =>
  async (estate: CrashingEstate): Promise<Request> => {
    const found = await steps(estate).atCounter();
    return { id: found.fulfillmentOrderId, orderId: found.orderId, ...request(found) };
  };

crashesDuring<Request>({
  'a Dispatch to the counter': {
    killed: ['fms', 'carrier-platform'],
    prepare: async (estate) => {
      const { toCollect, packed } = steps(estate);
      const { fulfillmentOrderId: id, orderId } = await toCollect();
      await packed(id);
      return { id, orderId, application: 'fms', method: 'POST', path: `/fulfillment/orders/${id}/dispatch`, body: {} };
    },
    end: endsIn('packed', 'dispatched'),
  },
  'Hand Over Collection': {
    killed: ['fms', 'oms', 'sim', 'inventory-service', 'carrier-platform'],
    prepare: atCounter(({ fulfillmentOrderId: id, code }) => ({
      application: 'fms',
      method: 'POST',
      path: `/fulfillment/orders/${id}/hand-over`,
      body: { code },
    })),
    end: endsIn('dispatched', 'delivered'),
  },
  'a Cancel Order of goods at the counter': {
    killed: ['oms', 'fms', 'sim', 'payment-hub'],
    prepare: atCounter(({ orderId }) => ({ application: 'oms', method: 'POST', path: `/orders/${orderId}/cancel`, body: {} })),
    end: endsIn('dispatched', 'returned-to-sender'),
  },
});

const DESKS = [{ sku: 'desk-two-nodes', qty: 2 }];

/** Goods that no store has: a warehouse sends them. */
const toBeSent = async (estate: CrashingEstate) => {
  const { toCollect, packed } = steps(estate);
  const found = await toCollect(undefined, DESKS);
  await packed(found.fulfillmentOrderId);
  return found;
};

const onTheWay = async (estate: CrashingEstate) => {
  const { handedOver, scanned } = steps(estate);
  const found = await toBeSent(estate);
  const shipmentId = await handedOver(found.fulfillmentOrderId);
  await scanned(shipmentId, 'collect', 'depart', 'out-for-delivery');
  return { ...found, shipmentId };
};

const inStore = async (estate: CrashingEstate) => {
  const { scanned, fulfilment } = steps(estate);
  const found = await onTheWay(estate);
  await scanned(found.shipmentId, 'deliver');
  return { ...found, code: (await fulfilment(found.fulfillmentOrderId)).collection?.code };
};

/** The desks on hand and reserved in the warehouse and in the store, and the state of the order. */
const desksOf = async (estate: CrashingEstate, { id, orderId }: Request) => {
  const { fulfillmentOrder, order, stockAt } = steps(estate);
  const { state, shipments, collection } = await fulfillmentOrder(id);
  const [dc, store] = [await stockAt('desk-two-nodes', 'dc-01'), await stockAt('desk-two-nodes', 'store-01')];
  const units = [dc.onHand, dc.reserved, store.onHand, store.reserved];
  return { state, isReady: collection.code !== undefined, parcel: shipments[0]?.state, order: (await order(orderId)).state, units };
};

const PACKED = { state: 'packed', isReady: false, order: 'in-fulfilment', units: [3, 2, 0, 0] };
const SENT = { state: 'dispatched', isReady: false, parcel: 'label-created', order: 'in-fulfilment', units: [1, 0, 0, 0] };
const ON_THE_VAN = { ...SENT, parcel: 'out-for-delivery' };
const IN_STORE = { ...SENT, isReady: true, parcel: 'held-at-depot', units: [1, 0, 2, 2] };
const LOST = { state: 'failed-delivery', isReady: false, parcel: 'lost', order: 'cancelled', units: [1, 0, 0, 0] };
const COLLECTED = { state: 'delivered', isReady: true, parcel: 'delivered', order: 'completed', units: [1, 0, 0, 0] };
const SHELVED = { state: 'returned-to-sender', isReady: true, parcel: 'returned-to-sender', order: 'cancelled', units: [1, 0, 2, 0] };

const oneOf =
  (before: object, after: object) =>
  async (estate: CrashingEstate, request: Request, insists: boolean): Promise<void> => {
    const found = await desksOf(estate, request);
    expect(insists ? [after] : [before, after]).toContainEqual(found);
  };

const scanOf = (scan: string) => async (estate: CrashingEstate) => {
  const { fulfillmentOrderId: id, orderId, shipmentId } = await onTheWay(estate);
  return {
    id,
    orderId,
    application: 'carrier-platform' as const,
    method: 'POST',
    path: `/internal/shipments/${shipmentId}/scans`,
    body: { scan },
  };
};

crashesDuring<Request>({
  'a Dispatch to a store': {
    killed: ['fms', 'sim', 'inventory-service', 'carrier-platform'],
    prepare: async (estate) => {
      const { fulfillmentOrderId: id, orderId } = await toBeSent(estate);
      return { id, orderId, application: 'fms', method: 'POST', path: `/fulfillment/orders/${id}/dispatch`, body: {} };
    },
    end: oneOf(PACKED, SENT),
  },
  'an arrival in a store': {
    killed: ['carrier-platform', 'fms', 'sim', 'inventory-service'],
    prepare: scanOf('deliver'),
    end: oneOf(ON_THE_VAN, IN_STORE),
  },
  'a loss on the way to a store': {
    killed: ['carrier-platform', 'fms', 'sim', 'inventory-service', 'oms'],
    prepare: scanOf('lose'),
    end: oneOf(ON_THE_VAN, LOST),
  },
  'Hand Over Collection of goods from a warehouse': {
    killed: ['fms', 'sim', 'inventory-service'],
    prepare: async (estate) => {
      const { fulfillmentOrderId: id, orderId, code } = await inStore(estate);
      return { id, orderId, application: 'fms', method: 'POST', path: `/fulfillment/orders/${id}/hand-over`, body: { code } };
    },
    end: oneOf(IN_STORE, COLLECTED),
  },
  'a Cancel Order of goods from a warehouse at the counter': {
    killed: ['oms', 'fms', 'sim', 'inventory-service'],
    prepare: async (estate) => {
      const { fulfillmentOrderId: id, orderId } = await inStore(estate);
      return { id, orderId, application: 'oms', method: 'POST', path: `/orders/${orderId}/cancel`, body: {} };
    },
    end: oneOf(IN_STORE, SHELVED),
  },
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface LostOnWay extends Awaited<ReturnType<typeof onTheWay>> {
  readonly lineId: string;
}

/** Two lost desks in the stock of the warehouse and of the store, and what became of the order. */
const lostOnWay = async (estate: CrashingEstate): Promise<LostOnWay> => {
  const { scanned, order } = steps(estate);
  const found = await onTheWay(estate);
  await scanned(found.shipmentId, 'lose');
  return { ...found, lineId: (await order(found.orderId)).lines[0].lineId };
};
const found: Step<LostOnWay> = async (estate, known) => {
  await steps(estate).scanned(known.shipmentId, 'find');
  return known;
};
const timePasses: Step<LostOnWay> = async (estate, known) => {
  await estate.advance(2 * DAY + 5 * MINUTE);
  return known;
};
const halfReplaced: Step<LostOnWay> = async (estate, known) => {
  const body = { lines: [{ orderLineId: known.lineId, qty: 1 }], reason: 'lost' as const };
  const { status } = await steps(estate).call('create-replacement-api', { params: { id: known.orderId }, body });
  expect(status).toBe(201);
  return known;
};

test.each<[string, readonly Step<LostOnWay>[], object]>([
  ['before its refund', [found, timePasses], { order: 'in-fulfilment', paid: 'paid', cancelled: 0, store: [2, 2] }],
  ['after its refund', [timePasses, found, timePasses], { order: 'cancelled', paid: 'refunded', cancelled: 2, store: [2, 0] }],
  [
    'after half of it was replaced',
    [halfReplaced, found, timePasses],
    { order: 'in-fulfilment', paid: 'partially-refunded', cancelled: 1, store: [2, 0] },
  ],
])(
  'A parcel that is found %s has one end, whichever process dies',
  async (_when, journey, expected) => {
    const end = async (estate: CrashingEstate, { orderId }: LostOnWay): Promise<void> => {
      const { order, stockAt } = steps(estate);
      const { state, paymentStatus, lines } = await order(orderId);
      const { onHand, reserved } = await stockAt('desk-two-nodes', 'store-01');
      expect({ order: state, paid: paymentStatus, cancelled: lines[0].cancelledQty, store: [onHand, reserved] }).toEqual(expected);
    };
    const retailer = { replaceLostWithin: 'P2D' };
    expect(await eachCrash({ retailer, begin: lostOnWay, steps: journey, killed: ['fms', 'oms', 'sim'], end })).toBeGreaterThan(8);
  },
  240_000,
);

test('Goods that nobody collects go back once, whichever process dies on the last day', async () => {
  const begin = async (estate: CrashingEstate): Promise<Request> => {
    const { fulfillmentOrderId: id, orderId } = await steps(estate).atCounter();
    return { id, orderId, application: 'fms', method: 'GET', path: '', body: undefined };
  };
  const waited = async (estate: CrashingEstate, request: Request): Promise<Request> => {
    await estate.advance(12 * DAY);
    return request;
  };
  const end = (estate: CrashingEstate, request: Request) => endsIn('returned-to-sender', 'returned-to-sender')(estate, request, true);
  expect(await eachCrash({ begin, steps: [waited], killed: ['fms', 'oms'], end })).toBeGreaterThan(5);
}, 180_000);

test('Units that a customer refuses become one return, whichever process dies', async () => {
  const begin = async (estate: CrashingEstate): Promise<Request> => {
    const { atCounter: prepare, order } = steps(estate);
    const { fulfillmentOrderId: id, orderId, code } = await prepare();
    const [line] = (await order(orderId)).lines;
    const body = { code, refused: [{ orderLineId: line?.lineId, qty: 1, reason: 'Too blue' }] };
    return { id, orderId, application: 'fms', method: 'POST', path: `/fulfillment/orders/${id}/hand-over`, body };
  };
  const refuse = async (estate: CrashingEstate, request: Request): Promise<Request> => {
    await estate.insist(request.application, request.method, request.path, request.body, 'refusing');
    await estate.advance(2 * DAY);
    return request;
  };
  const end = async (estate: CrashingEstate, { id, orderId }: Request): Promise<void> => {
    const { order, fulfillmentOrder } = steps(estate);
    const { refusedReturnId } = (await fulfillmentOrder(id)).collection;
    expect((await order(orderId)).returns?.map((one: { id: string }) => one.id)).toEqual([refusedReturnId]);
  };
  expect(await eachCrash({ begin, steps: [refuse], killed: ['fms', 'oms'], end })).toBeGreaterThan(10);
}, 180_000);

test('A killed change from an address to a collection leaves a basket whose order is routed to its place', async () => {
  const begin = async (estate: CrashingEstate): Promise<string> => (await steps(estate).checkedOut()).id;
  const change = async (estate: CrashingEstate, id: string): Promise<string> => {
    const body = { collection: { locationId: 'store-02' } };
    await estate.ask('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, body, 'once').catch(() => undefined);
    return id;
  };
  const end = async (estate: CrashingEstate, id: string): Promise<void> => {
    const { api, authorised, settle, routed } = steps(estate);
    const basket = await api('get-basket-api', { params: { id } });
    const { id: orderId } = await authorised(id);
    await api('confirm-order-api', { params: { id: orderId } });
    await settle();
    const [found] = await routed(orderId);
    const isCollected = basket.collection !== undefined;
    if (isCollected) expect(found.locationId).toBe('store-02');
    expect([basket.shippingAddress, found.collection === undefined]).toEqual([isCollected ? undefined : ADDRESS, !isCollected]);
  };
  expect(await eachCrash({ begin, steps: [change], killed: ['ecommerce-platform', 'sim', 'inventory-service'], end })).toBeGreaterThan(5);
}, 180_000);
