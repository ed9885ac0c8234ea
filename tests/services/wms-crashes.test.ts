import { describe, expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { comeToRest, eachCrash, type OneRequest, requested } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * Picking while the WMS or the FMS is killed at one of its commits, with a client that retries and with one that gives up: in the end
 * both agree on its progress.
 */
/** The state of the fulfillment order for each status of a picking order. */
const stateOf: Readonly<Record<string, string>> = { open: 'picking', started: 'picking', picked: 'picking', packed: 'packed' };

/** A prepared request: the fulfillment order of the interrupted request, and the resulting status. */
interface Scene extends OneRequest {
  readonly id: string;
  readonly status: string;
}

function warehouse(estate: CrashingEstate) {
  const { ok } = estate;

  async function routed(): Promise<string> {
    const lines = [{ sku: 'mug-blue', qty: 2 }];
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const order = await ok('oms', 'POST', '/orders', { basketId: basket.id });
    await ok('payment-hub', 'POST', '/payments/authorizations', { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } });
    await ok('oms', 'POST', `/orders/${order.id}/confirm`);
    await estate.settle();
    const { fulfillmentOrders } = await ok('oms', 'GET', `/orders/${order.id}`);
    return fulfillmentOrders[0].id;
  }

  const open = (fulfillmentOrderId: string) => ok('wms', 'POST', '/picking-orders', { fulfillmentOrderId });
  const move = (id: string, status: string) => ok('wms', 'PUT', `/picking-orders/${id}/status`, { status });
  /** Whether the WMS has a picking order: sends a request that an existing order of any status refuses. */
  const isKnown = async (id: string, status: string): Promise<boolean> => {
    const impossible = { status: status === 'open' ? 'packed' : 'started' };
    const reply = await estate.insist('wms', 'PUT', `/picking-orders/${id}/status`, impossible, 'impossible');
    return reply.status !== 404;
  };
  const fulfillmentOrder = (id: string) => ok('fms', 'GET', `/fulfillment/orders/${id}`);

  const scenes: Readonly<Record<string, () => Promise<Omit<Scene, 'application'>>>> = {
    'Create Picking Order': async () => {
      const id = await routed();
      return { id, method: 'POST', path: '/picking-orders', body: { fulfillmentOrderId: id }, status: 'open' };
    },
    'Update Picking Status, picked': async () => {
      const id = await routed();
      const picking = await open(id);
      await move(picking.id, 'started');
      return { id, method: 'PUT', path: `/picking-orders/${picking.id}/status`, body: { status: 'picked' }, status: 'picked' };
    },
    'Update Picking Status, packed': async () => {
      const id = await routed();
      const picking = await open(id);
      for (const status of ['started', 'picked']) await move(picking.id, status);
      return { id, method: 'PUT', path: `/picking-orders/${picking.id}/status`, body: { status: 'packed' }, status: 'packed' };
    },
  };

  async function prepare(name: string): Promise<Scene> {
    const scene = await scenes[name]?.();
    if (!scene) throw new Error(`${name} is a scene.`);
    return { application: 'wms', ...scene };
  }

  /** Checks the end, after the retries of the client or without them. */
  async function ends({ id, status }: Scene, insists: boolean): Promise<void> {
    await comeToRest(estate);
    const before = await fulfillmentOrder(id);
    if (before.state !== 'allocated') expect(await isKnown(before.pickingOrderId, status)).toBe(true);
    const picking = await open(id);
    if (insists) expect(picking.status).toBe(status);
    // The picking order is opened only now: the client that gave up had begun nothing.
    if (before.state !== 'allocated') {
      expect(before).toMatchObject({ pickingOrderId: picking.id, state: stateOf[picking.status] });
      expect(picking.lines[0].pickedQty).toBe(before.lines[0].pickedQty);
    }
    const rest = ['started', 'picked', 'packed'];
    for (const next of rest.slice(rest.indexOf(picking.status) + 1)) await move(picking.id, next);
    expect(await fulfillmentOrder(id)).toMatchObject({ state: 'packed', pickingOrderId: picking.id });
  }

  return { prepare, ends };
}

describe.each([
  ['is repeated', true],
  ['is not repeated', false],
])('Picking whose process is killed at any commit and whose request %s', (_how, insists) => {
  test.each(['Create Picking Order', 'Update Picking Status, picked', 'Update Picking Status, packed'])(
    '%s: WMS and FMS agree in the end',
    async (name) => {
      await eachCrash<Scene>({
        begin: (estate) => warehouse(estate).prepare(name),
        steps: [requested(insists)],
        killed: ['wms', 'fms'],
        end: (estate, scene) => warehouse(estate).ends(scene, insists),
      });
    },
  );
});
