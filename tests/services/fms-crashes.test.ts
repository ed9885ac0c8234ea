import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { comeToRest, eachCrash, type OneRequest, requested } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * Parcels in transit while a process is killed at one of its commits, before the store hears of it and after: with a client that
 * retries, and with one that sends its request a single time. Goods leave once and come back once, and nothing stays half done.
 */
interface Request extends OneRequest {
  /** Id of the fulfillment order. */
  readonly id: string;
  /** Units on hand before. */
  readonly onHand: number;
  /** Units taken out of stock, as the fulfillment order reports. */
  readonly gone: (found: { state: string; lines: readonly { shortQty: number }[] }) => number;
}

/** Steps of parcels, in an estate with crashes. */
function fulfilling(estate: CrashingEstate) {
  const { ok } = estate;

  async function confirmed(): Promise<{ id: string; orderId: string }> {
    const lines = [{ sku: 'mug-blue', qty: 2 }];
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const order = await ok('oms', 'POST', '/orders', { basketId: basket.id });
    await ok('payment-hub', 'POST', '/payments/authorizations', { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } });
    await ok('oms', 'POST', `/orders/${order.id}/confirm`);
    const { fulfillmentOrders } = await ok('oms', 'GET', `/orders/${order.id}`);
    return { id: fulfillmentOrders[0].id, orderId: order.id };
  }

  async function picked(...statuses: readonly string[]): Promise<{ id: string; picking: string; line: string }> {
    const { id } = await confirmed();
    const { id: picking, lines } = await ok('wms', 'POST', '/picking-orders', { fulfillmentOrderId: id });
    for (const status of statuses) await ok('wms', 'PUT', `/picking-orders/${picking}/status`, { status });
    return { id, picking, line: lines[0].orderLineId };
  }

  const packed = async (): Promise<string> => (await picked('started', 'picked', 'packed')).id;

  async function sent(): Promise<{ id: string; shipmentId: string }> {
    const id = await packed();
    const { shipments } = await ok('fms', 'POST', `/fulfillment/orders/${id}/dispatch`, { service: 'LOST' });
    await estate.settle();
    await ok('carrier-platform', 'POST', `/internal/shipments/${shipments[0].id}/scans`, { scan: 'collect' });
    await estate.settle();
    return { id, shipmentId: shipments[0].id };
  }

  async function onHand(): Promise<number> {
    const { locations } = await ok('sim', 'GET', '/inventory/items/mug-blue');
    return locations.reduce((sum: number, location: { onHand: number }) => sum + location.onHand, 0);
  }

  const requests: Record<string, () => Promise<Omit<Request, 'onHand'>>> = {
    'Dispatch Fulfillment Order': async () => {
      const id = await packed();
      const path = `/fulfillment/orders/${id}/dispatch`;
      return { application: 'fms', method: 'POST', path, body: {}, id, gone: ({ state }) => (state === 'dispatched' ? 2 : 0) };
    },
    'Update Picking Status, short': async () => {
      const { id, picking, line } = await picked('started');
      const body = { status: 'short', lines: [{ orderLineId: line, pickedQty: 1 }] };
      const path = `/picking-orders/${picking}/status`;
      return { application: 'wms', method: 'PUT', path, body, id, gone: ({ lines }) => lines[0]?.shortQty ?? 0 };
    },
    'the scan of a parcel that came back': async () => {
      const { id, shipmentId } = await sent();
      const path = `/internal/shipments/${shipmentId}/scans`;
      const gone: Request['gone'] = ({ state }) => (state === 'returned-to-sender' ? -2 : 0);
      return { application: 'carrier-platform', method: 'POST', path, body: { scan: 'return' }, id, gone };
    },
  };

  async function prepare(name: string): Promise<Request> {
    const request = await requests[name]?.();
    if (!request) throw new Error(`${name} is a request.`);
    return { ...request, onHand: await onHand() };
  }

  /** Checks the end, after the retries of the client or without them. */
  async function ends({ id, onHand: before, ...request }: Request, insists: boolean): Promise<void> {
    await comeToRest(estate);
    const gone = request.gone(await ok('fms', 'GET', `/fulfillment/orders/${id}`));
    if (insists) expect(gone).not.toBe(0);
    expect(before - (await onHand())).toBe(gone);
  }

  return { prepare, ends };
}

describe.each([
  ['is repeated', true],
  ['is not repeated', false],
])('A fulfilment whose process is killed at any commit and whose request %s', (_how, insists) => {
  test.each<[string, readonly Application[]]>([
    ['Dispatch Fulfillment Order', ['fms', 'sim', 'inventory-service', 'carrier-platform']],
    ['Update Picking Status, short', ['fms', 'sim', 'inventory-service']],
    ['the scan of a parcel that came back', ['fms', 'inventory-service', 'carrier-platform']],
  ])('%s: goods move once', async (name, killed) => {
    await eachCrash<Request>({
      begin: (estate) => fulfilling(estate).prepare(name),
      steps: [requested(insists)],
      killed,
      end: (estate, request) => fulfilling(estate).ends(request, insists),
    });
  });
});
