import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type Crash, type CrashingEstate, crashingEstate, prepared } from '../support/crashing-estate.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * Picking while the WMS or the FMS is killed at one of its commits, with a client that insists and with one that gives up: in the end
 * both say the same of how far it is.
 */
const MINUTE = 60_000;
const LANES = 4;
const MOST_COMMITS = 10;

/** What the FMS makes of each status of a picking order. */
const stateOf: Readonly<Record<string, string>> = { open: 'picking', started: 'picking', picked: 'picking', packed: 'packed' };

/** What was prepared: the request that is interrupted, the fulfillment order that it is about, and the status that it leads to. */
interface Scene {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly status: string;
}

function warehouse(estate: CrashingEstate) {
  let keys = 0;
  const ok = async (application: Application, method: string, path: string, body?: unknown) => {
    const reply = await estate.insist(application, method, path, body, `${path} ${++keys}`);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };

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
  /** Whether the WMS has a picking order, by asking for what it refuses whatever became of this one. */
  const isKnown = async (id: string, status: string): Promise<boolean> => {
    const impossible = { status: status === 'open' ? 'packed' : 'started' };
    const reply = await estate.insist('wms', 'PUT', `/picking-orders/${id}/status`, impossible, `impossible ${++keys}`);
    return reply.status !== 404;
  };
  const fulfillmentOrder = (id: string) => ok('fms', 'GET', `/fulfillment/orders/${id}`);

  const scenes: Readonly<Record<string, () => Promise<Scene>>> = {
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
    return scene;
  }

  /** @returns whether anything was killed: there is such a commit */
  async function survived({ id, method, path, body, status }: Scene, crash: Crash, insists: boolean): Promise<boolean> {
    estate.crashAt(crash);
    if (insists) await estate.insist('wms', method, path, body, `insisting ${++keys}`);
    else await estate.ask('wms', method, path, body, `once ${++keys}`).catch(() => undefined);
    await estate.settle();
    estate.crashAt(undefined);
    await estate.advance(MINUTE);
    await estate.advance(6 * MINUTE);
    expect((await estate.ledger()).parked).toEqual([]);
    const before = await fulfillmentOrder(id);
    if (before.state !== 'allocated') expect(await isKnown(before.pickingOrderId, status)).toBe(true);
    const picking = await open(id);
    if (insists) expect(picking.status).toBe(status);
    // Opened only now: the client that gave up had begun nothing.
    if (before.state !== 'allocated') {
      expect(before).toMatchObject({ pickingOrderId: picking.id, state: stateOf[picking.status] });
      expect(picking.lines[0].pickedQty).toBe(before.lines[0].pickedQty);
    }
    const rest = ['started', 'picked', 'packed'];
    for (const next of rest.slice(rest.indexOf(picking.status) + 1)) await move(picking.id, next);
    expect(await fulfillmentOrder(id)).toMatchObject({ state: 'packed', pickingOrderId: picking.id });
    return estate.crashes() > 0;
  }

  return { prepare, survived };
}

async function eachCrash(name: string): Promise<void> {
  const { from, found: scene } = await prepared((estate) => warehouse(estate).prepare(name));
  const survives = async (crash: Crash, insists: boolean): Promise<boolean> => {
    const estate = await crashingEstate({ from });
    try {
      return crash.commit < MOST_COMMITS && (await warehouse(estate).survived(scene, crash, insists));
    } catch (error) {
      const how = insists ? 'insisting' : 'once';
      throw new Error(`${crash.application} killed ${crash.when} its commit ${crash.commit}, ${how}: ${(error as Error).message}`);
    } finally {
      await estate.close();
    }
  };
  const queue = (['wms', 'fms'] as const).flatMap((application) =>
    (['before', 'after'] as const).flatMap((when) => [true, false].map((insists) => ({ application, when, insists }))),
  );
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { application, when, insists } = next;
      let commit = 1;
      while (await survives({ application, commit, when }, insists)) commit += 1;
      expect(commit).toBeGreaterThan(1);
      expect(commit).toBeLessThan(MOST_COMMITS);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe('Picking that is killed at any commit', () => {
  test.each(['Create Picking Order', 'Update Picking Status, picked', 'Update Picking Status, packed'])(
    '%s: WMS and FMS agree in the end, whether it is repeated or not',
    eachCrash,
    120_000,
  );
});
