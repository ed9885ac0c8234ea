import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { comeToRest, eachCrash, type OneRequest, requested } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * Picking and parcels while a process is killed at one of its commits, before and after the store receives it: with a client that
 * retries, and with one that sends its request a single time. Goods move once, and WMS and FMS agree in the end.
 */
interface Request extends OneRequest {
  /** Id of the fulfillment order. */
  readonly id: string;
  /** Units on hand before. */
  readonly onHand: number;
}

/** Steps of parcels, in an estate with crashes. */
function fulfilling({ ok, settle }: CrashingEstate) {
  const routed = async (): Promise<string> => {
    const lines = [{ sku: 'mug-blue', qty: 2 }];
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const order = await ok('oms', 'POST', '/orders', { basketId: basket.id });
    await ok('payment-hub', 'POST', '/payments/authorizations', { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } });
    await ok('oms', 'POST', `/orders/${order.id}/confirm`);
    await settle();
    return (await ok('oms', 'GET', `/orders/${order.id}`)).fulfillmentOrders[0].id;
  };
  const open = (fulfillmentOrderId: string) => ok('wms', 'POST', '/picking-orders', { fulfillmentOrderId });
  const move = (id: string, status: string) => ok('wms', 'PUT', `/picking-orders/${id}/status`, { status });
  const onHand = async (): Promise<number> => {
    const { locations } = await ok('sim', 'GET', '/inventory/items/mug-blue');
    return locations.reduce((sum: number, location: { onHand: number }) => sum + location.onHand, 0);
  };
  /** The id of a fulfillment order whose picking order was moved through these statuses, and the request for the next one. */
  const picked = async (done: readonly string[], status: string, qty?: number) => {
    const id = await routed();
    const picking = await open(id);
    for (const one of done) await move(picking.id, one);
    const lines = qty === undefined ? undefined : [{ orderLineId: picking.lines[0].orderLineId, pickedQty: qty }];
    return { id, application: 'wms' as const, method: 'PUT', path: `/picking-orders/${picking.id}/status`, body: { status, lines } };
  };
  const packed = async (): Promise<string> => (await picked(['started', 'picked', 'packed'], 'packed')).id;
  return { routed, open, move, onHand, picked, packed, fulfillmentOrder: (id: string) => ok('fms', 'GET', `/fulfillment/orders/${id}`) };
}

/** WMS and FMS agree on the progress, and the picking can be completed. */
const pickingAgrees = (status: string) => async (estate: CrashingEstate, id: string, insists: boolean) => {
  const { fulfillmentOrder, open, move } = fulfilling(estate);
  const before = await fulfillmentOrder(id);
  if (before.state !== 'allocated') {
    // An existing picking order of any status refuses the impossible status; an unknown one is 404.
    const impossible = { status: status === 'open' ? 'packed' : 'started' };
    const reply = await estate.insist('wms', 'PUT', `/picking-orders/${before.pickingOrderId}/status`, impossible, 'impossible');
    expect(reply.status).not.toBe(404);
  }
  const picking = await open(id);
  if (insists) expect(picking.status).toBe(status);
  // A client that stopped before its first commit has changed nothing.
  if (before.state !== 'allocated') {
    expect(before).toMatchObject({ pickingOrderId: picking.id, state: picking.status === 'packed' ? 'packed' : 'picking' });
    expect(picking.lines[0].pickedQty).toBe(before.lines[0].pickedQty);
  }
  const rest = ['started', 'picked', 'packed'];
  for (const next of rest.slice(rest.indexOf(picking.status) + 1)) await move(picking.id, next);
  expect(await fulfillmentOrder(id)).toMatchObject({ state: 'packed', pickingOrderId: picking.id });
};

type Found = { readonly state: string; readonly lines: readonly { readonly shortQty: number }[] };

/** The stock changed as the fulfillment order reports. */
const goodsMoveOnce = (gone: (found: Found) => number) => async (estate: CrashingEstate, id: string, insists: boolean, before: number) => {
  const { fulfillmentOrder, onHand } = fulfilling(estate);
  const left = gone(await fulfillmentOrder(id));
  if (insists) expect(left).not.toBe(0);
  expect(before - (await onHand())).toBe(left);
};

const journeys: Record<
  string,
  {
    readonly killed: readonly Application[];
    readonly prepare: (estate: CrashingEstate) => Promise<Omit<Request, 'onHand'>>;
    readonly end: (estate: CrashingEstate, id: string, insists: boolean, before: number) => Promise<void>;
  }
> = {
  'Create Picking Order': {
    killed: ['wms', 'fms'],
    prepare: async (estate) => {
      const id = await fulfilling(estate).routed();
      return { id, application: 'wms', method: 'POST', path: '/picking-orders', body: { fulfillmentOrderId: id } };
    },
    end: pickingAgrees('open'),
  },
  'Update Picking Status to picked': {
    killed: ['wms', 'fms'],
    prepare: (estate) => fulfilling(estate).picked(['started'], 'picked'),
    end: pickingAgrees('picked'),
  },
  'Update Picking Status to packed': {
    killed: ['wms', 'fms'],
    prepare: (estate) => fulfilling(estate).picked(['started', 'picked'], 'packed'),
    end: pickingAgrees('packed'),
  },
  'Update Picking Status to short': {
    killed: ['fms', 'sim', 'inventory-service'],
    prepare: (estate) => fulfilling(estate).picked(['started'], 'short', 1),
    end: goodsMoveOnce(({ lines }) => lines[0]?.shortQty ?? 0),
  },
  'Dispatch Fulfillment Order': {
    killed: ['fms', 'sim', 'inventory-service', 'carrier-platform'],
    prepare: async (estate) => {
      const id = await fulfilling(estate).packed();
      return { id, application: 'fms', method: 'POST', path: `/fulfillment/orders/${id}/dispatch`, body: {} };
    },
    end: goodsMoveOnce(({ state }) => (state === 'dispatched' ? 2 : 0)),
  },
  'the scan of a parcel that came back': {
    killed: ['fms', 'inventory-service', 'carrier-platform'],
    prepare: async (estate) => {
      const id = await fulfilling(estate).packed();
      const { shipments } = await estate.ok('fms', 'POST', `/fulfillment/orders/${id}/dispatch`, { service: 'LOST' });
      const path = `/internal/shipments/${shipments[0].id}/scans`;
      await estate.settle();
      await estate.ok('carrier-platform', 'POST', path, { scan: 'collect' });
      await estate.settle();
      return { id, application: 'carrier-platform', method: 'POST', path, body: { scan: 'return' } };
    },
    end: goodsMoveOnce(({ state }) => (state === 'returned-to-sender' ? -2 : 0)),
  },
};

describe.each([
  ['repeated', true],
  ['not repeated', false],
])('Requests that are %s after a crash', (how, insists) => {
  test.each(Object.entries(journeys))(`%s that is ${how} has one effect when a process is killed at any commit`, async (_name, journey) => {
    await eachCrash<Request>({
      begin: async (estate) => ({ ...(await journey.prepare(estate)), onHand: await fulfilling(estate).onHand() }),
      steps: [requested(insists)],
      killed: journey.killed,
      end: async (estate, { id, onHand }) => {
        await comeToRest(estate);
        await journey.end(estate, id, insists, onHand);
      },
    });
  });
});
