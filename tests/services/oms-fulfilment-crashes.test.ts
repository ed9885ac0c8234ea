import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { Snapshot } from '../../shared/store/ports.ts';
import { type Crash, type CrashingEstate, crashingEstate, prepared } from '../support/crashing-estate.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * An order of which a mug is short and found elsewhere, the last lamp is not there, one parcel arrives and the other is lost; and one
 * that is cancelled while it is picked, with units short or none. A process is killed at each of its commits meanwhile, before the store hears of it and after.
 * Each unit is delivered, cancelled or held once, and paid back once.
 */
const MINUTE = 60_000;
const LANES = 4;

interface Routed {
  readonly id: string;
  readonly lines: readonly { readonly lineId: string; readonly sku: string; readonly lineTotal: { readonly amount: number } }[];
  readonly fulfillmentOrders: readonly { readonly id: string; readonly state: string }[];
  readonly totals: { readonly total: { readonly amount: number }; readonly shipping: { readonly amount: number } };
}

function working(estate: CrashingEstate) {
  let keys = 0;
  const ok = async (application: Application, method: string, path: string, body?: unknown) => {
    const reply = await estate.insist(application, method, path, body, `${path} ${++keys}`);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const paidDraft = async (lines: readonly { sku: string; qty: number }[]): Promise<string> => {
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const { id } = await ok('oms', 'POST', '/orders', { basketId: basket.id });
    await ok('payment-hub', 'POST', '/payments/authorizations', { orderId: id, tender: { type: 'card', token: 'tok_visa' } });
    return id;
  };
  const confirmed = async (id: string): Promise<Routed> => {
    await ok('oms', 'POST', `/orders/${id}/confirm`);
    await rest();
    return order(id);
  };
  const order = async (id: string) => ok('oms', 'GET', `/orders/${id}`);
  const picking = async (fulfillmentOrderId: string, ...steps: readonly object[]): Promise<string> => {
    const { id } = await ok('wms', 'POST', '/picking-orders', { fulfillmentOrderId });
    for (const step of steps) await ok('wms', 'PUT', `/picking-orders/${id}/status`, step);
    return id;
  };
  const sent = async (fulfillmentOrderId: string): Promise<string> => {
    const { shipments } = await ok('fms', 'POST', `/fulfillment/orders/${fulfillmentOrderId}/dispatch`, {});
    return shipments[0].id;
  };
  const scan = async (parcel: string, ...scans: readonly string[]): Promise<void> => {
    for (const one of scans) await ok('carrier-platform', 'POST', `/internal/shipments/${parcel}/scans`, { scan: one });
  };
  /** The longest pause after which somebody takes over what broke off. */
  const rest = async (): Promise<void> => {
    await estate.settle();
    await estate.advance(MINUTE);
    await estate.advance(6 * MINUTE);
  };
  return { ok, paidDraft, confirmed, order, picking, sent, scan, rest };
}

/** The order that is there before anybody may die, and what happens to it then. */
interface Journey {
  readonly begin: (estate: CrashingEstate) => Promise<string>;
  readonly goOn: (estate: CrashingEstate, orderId: string) => Promise<void>;
}

const mugsAndLamp = (estate: CrashingEstate): Promise<string> =>
  working(estate).paidDraft([
    { sku: 'mug-blue', qty: 2 },
    { sku: 'lamp-last-one', qty: 1 },
  ]);

async function shortAndLost(estate: CrashingEstate, id: string): Promise<void> {
  const { confirmed, order, picking, ok, sent, scan, rest } = working(estate);
  const { lines, totals, fulfillmentOrders } = await confirmed(id);
  const [mugs, lamp] = lines;
  const first = fulfillmentOrders[0]?.id ?? '';
  const short = [
    { orderLineId: mugs?.lineId, pickedQty: 1 },
    { orderLineId: lamp?.lineId, pickedQty: 0 },
  ];
  const pck = await picking(first, { status: 'started' }, { status: 'short', lines: short });
  await rest();
  const routed: Routed = await order(id);
  expect(routed.fulfillmentOrders).toHaveLength(2);
  expect(routed.lines).toMatchObject([{ cancelledQty: 0 }, { cancelledQty: 1 }]);
  const second = routed.fulfillmentOrders[1]?.id ?? '';
  await ok('wms', 'PUT', `/picking-orders/${pck}/status`, { status: 'packed' });
  await picking(second, { status: 'started' }, { status: 'picked' }, { status: 'packed' });
  const [arriving, losing] = [await sent(first), await sent(second)];
  await scan(arriving, 'collect', 'depart', 'out-for-delivery', 'deliver');
  await scan(losing, 'collect', 'lose');
  await rest();
  const end = await order(id);
  expect(end).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 1 }, { cancelledQty: 1 }] });
  const kept = (mugs?.lineTotal.amount ?? 0) - Math.floor((mugs?.lineTotal.amount ?? 0) / 2) + totals.shipping.amount;
  expect(end.payments).toMatchObject([{ capturedAmount: totals.total, refundedAmount: { amount: totals.total.amount - kept } }]);
  expect(end).not.toHaveProperty('compensation');
}

async function lampBeingPicked(estate: CrashingEstate): Promise<string> {
  const { paidDraft, confirmed, picking } = working(estate);
  const { id, fulfillmentOrders } = await confirmed(await paidDraft([{ sku: 'lamp-last-one', qty: 1 }]));
  await picking(fulfillmentOrders[0]?.id ?? '', { status: 'started' });
  return id;
}

async function cancelled(estate: CrashingEstate, id: string): Promise<void> {
  const { order, ok, rest } = working(estate);
  await ok('oms', 'POST', `/orders/${id}/cancel`);
  await rest();
  const end = await order(id);
  expect(end).toMatchObject({ state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }], payments: [{ state: 'fully-refunded' }] });
  expect(end).not.toHaveProperty('pendingAction');
  const { locations } = await ok('sim', 'GET', '/inventory/items/lamp-last-one');
  expect(locations.reduce((sum: number, { reserved }: { reserved: number }) => sum + reserved, 0)).toBe(0);
}

async function threeMugs(estate: CrashingEstate): Promise<string> {
  const { paidDraft, confirmed } = working(estate);
  return (await confirmed(await paidDraft([{ sku: 'mug-blue', qty: 3 }]))).id;
}

/** A mug is short and found elsewhere; then the order is cancelled. What was not there is not given back. */
async function cancelledWhenShort(estate: CrashingEstate, id: string): Promise<void> {
  const { order, picking, ok, rest } = working(estate);
  const { lines, fulfillmentOrders }: Routed = await order(id);
  const short = [{ orderLineId: lines[0]?.lineId, pickedQty: 1 }];
  await picking(fulfillmentOrders[0]?.id ?? '', { status: 'started' }, { status: 'short', lines: short });
  await ok('oms', 'POST', `/orders/${id}/cancel`);
  await rest();
  await rest();
  const end = await order(id);
  expect(end).toMatchObject({ state: 'cancelled' });
  for (const status of ['pendingAction', 'compensation']) expect(end).not.toHaveProperty(status);
  const { locations } = await ok('sim', 'GET', '/inventory/items/mug-blue');
  const counted = locations.map(({ locationId, onHand, reserved }: Record<string, unknown>) => [locationId, onHand, reserved]);
  expect(counted.slice(0, 2)).toEqual([
    ['dc-01', 998, 0],
    ['dc-02', 1000, 0],
  ]);
}

interface Beginning {
  readonly from: Snapshot;
  readonly found: string;
}

async function commitsOf({ goOn }: Journey, applications: readonly Application[], { from, found: id }: Beginning): Promise<Crash[]> {
  const estate = await crashingEstate({ from });
  try {
    await goOn(estate, id);
    return applications.flatMap((application) =>
      Array.from({ length: estate.commits(application) }, (_, index) => index + 1).flatMap((commit) =>
        (['before', 'after'] as const).map((when) => ({ application, commit, when })),
      ),
    );
  } finally {
    await estate.close();
  }
}

async function survives({ goOn }: Journey, crash: Crash, { from, found }: Beginning): Promise<void> {
  const estate = await crashingEstate({ from });
  try {
    estate.crashAt(crash);
    await goOn(estate, found);
    expect((await estate.ledger()).parked).toEqual([]);
    expect((await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`))).toEqual([]);
  } catch (error) {
    throw new Error(`${crash.application} killed ${crash.when} its commit ${crash.commit}: ${(error as Error).message}`);
  } finally {
    await estate.close();
  }
}

describe('An order in fulfilment comes to the same end when a process dies', () => {
  test.each<[string, Journey, readonly Application[]]>([
    ['while units are short, refunded, delivered and lost', { begin: mugsAndLamp, goOn: shortAndLost }, ['oms', 'payment-hub']],
    ['while it is cancelled', { begin: lampBeingPicked, goOn: cancelled }, ['oms', 'fms', 'payment-hub']],
    ['while it is cancelled with units short', { begin: threeMugs, goOn: cancelledWhenShort }, ['oms', 'fms', 'sim']],
  ])(
    '%s',
    async (_when, journey, applications) => {
      const beginning = await prepared(journey.begin);
      const queue = await commitsOf(journey, applications, beginning);
      expect(queue.length).toBeGreaterThan(8);
      const failures: unknown[] = [];
      const lane = async (): Promise<void> => {
        for (let crash = queue.shift(); crash && failures.length === 0; crash = queue.shift()) {
          await survives(journey, crash, beginning).catch((error: unknown) => failures.push(error));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      if (failures.length > 0) throw failures[0];
    },
    240_000,
  );
});
