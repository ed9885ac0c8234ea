import { expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step, takeOver } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';
import { card, eur } from '../support/steps/tender.ts';

interface Routed {
  readonly id: string;
  readonly lines: readonly { readonly lineId: string; readonly lineTotal: { readonly amount: number } }[];
  readonly fulfillmentOrders: readonly { readonly id: string }[];
  readonly totals: { readonly total: { readonly amount: number }; readonly shipping: { readonly amount: number } };
}

/** A confirmed order, with the pickings and parcels of its fulfillment orders. */
interface Known {
  readonly routed: Routed;
  readonly fulfilments: readonly string[];
  readonly pickings: readonly string[];
  readonly parcels: readonly string[];
}

const orderNow = ({ ok }: CrashingEstate, { routed }: Known) => ok('oms', 'GET', `/orders/${routed.id}`);

const known = (routed: Routed, before: Pick<Known, 'pickings' | 'parcels'> = { pickings: [], parcels: [] }): Known => ({
  ...before,
  routed,
  fulfilments: routed.fulfillmentOrders.map(({ id }) => id),
});

const paidDraft =
  (...lines: readonly { sku: string; qty: number }[]) =>
  async ({ ok }: CrashingEstate): Promise<Known> => {
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const order = await ok('oms', 'POST', '/orders', { basketId: basket.id });
    await ok('payment-hub', 'POST', '/payments/authorizations', { orderId: order.id, tender: card() });
    return known(await ok('oms', 'GET', `/orders/${order.id}`));
  };

const rested: Step<Known> = async (estate, found) => {
  await takeOver(estate);
  return known(await orderNow(estate, found), found);
};

const confirmed: Step<Known> = async (estate, found) => {
  await estate.ok('oms', 'POST', `/orders/${found.routed.id}/confirm`);
  return rested(estate, found);
};

const cancelled: Step<Known> = async (estate, found) => {
  await estate.ok('oms', 'POST', `/orders/${found.routed.id}/cancel`);
  return found;
};

const moved =
  (which: number, body: object): Step<Known> =>
  async ({ ok }, found) => {
    await ok('wms', 'PUT', `/picking-orders/${found.pickings[which]}/status`, body);
    return found;
  };

/** Starts picking of the next fulfillment order. */
const started: Step<Known> = async (estate, found) => {
  const fulfillmentOrderId = found.fulfilments[found.pickings.length];
  const { id } = await estate.ok('wms', 'POST', '/picking-orders', { fulfillmentOrderId });
  const pickings = [...found.pickings, id];
  return moved(pickings.length - 1, { status: 'started' })(estate, { ...found, pickings });
};

/** Confirms the picked quantity of each line of the first fulfillment order. */
const short =
  (...quantities: readonly number[]): Step<Known> =>
  (estate, found) => {
    const lines = quantities.map((pickedQty, index) => ({ orderLineId: found.routed.lines[index]?.lineId, pickedQty }));
    return moved(0, { status: 'short', lines })(estate, found);
  };

/** Dispatches the next fulfillment order. */
const sent: Step<Known> = async ({ ok }, found) => {
  const { shipments } = await ok('fms', 'POST', `/fulfillment/orders/${found.fulfilments[found.parcels.length]}/dispatch`, {});
  return { ...found, parcels: [...found.parcels, shipments[0].id] };
};

const scanned = (which: number, ...scans: readonly string[]): readonly Step<Known>[] =>
  scans.map((scan) => async ({ ok }, found) => {
    await ok('carrier-platform', 'POST', `/internal/shipments/${found.parcels[which]}/scans`, { scan });
    return found;
  });

const counters = async ({ ok }: CrashingEstate, sku: string): Promise<string[]> => {
  const { locations } = await ok('sim', 'GET', `/inventory/items/${sku}`);
  return locations.map(({ onHand, reserved }: Record<string, unknown>) => `${onHand} ${reserved}`);
};

/** A mug is short and served elsewhere, the last lamp is short, one parcel arrives and the other is lost. */
const shortAndLost: Journey<Known> = {
  begin: paidDraft({ sku: 'mug-blue', qty: 2 }, { sku: 'lamp-last-one', qty: 1 }),
  steps: [
    ...[confirmed, started, short(1, 0), rested],
    async (_, found) => {
      expect(found.fulfilments).toHaveLength(2);
      expect(found.routed.lines).toMatchObject([{ cancelledQty: 0 }, { cancelledQty: 1 }]);
      return found;
    },
    ...[moved(0, { status: 'packed' }), started, moved(1, { status: 'picked' }), moved(1, { status: 'packed' }), sent, sent],
    ...scanned(0, 'collect', 'depart', 'out-for-delivery', 'deliver'),
    ...scanned(1, 'collect', 'lose'),
    rested,
  ],
  killed: ['oms', 'payment-hub'],
  end: async (estate, found) => {
    const { lines, totals } = found.routed;
    const end = await orderNow(estate, found);
    expect(end).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 1 }, { cancelledQty: 1 }] });
    const mugs = lines[0]?.lineTotal.amount ?? 0;
    const kept = mugs - Math.floor(mugs / 2) + totals.shipping.amount;
    expect(end.payments).toMatchObject([{ capturedAmount: totals.total, refundedAmount: eur(totals.total.amount - kept) }]);
    expect(end).not.toHaveProperty('compensation');
  },
};

const cancelledInPicking: Journey<Known> = {
  begin: async (estate) => started(estate, await confirmed(estate, await paidDraft({ sku: 'lamp-last-one', qty: 1 })(estate))),
  steps: [cancelled, rested],
  killed: ['oms', 'fms', 'payment-hub'],
  end: async (estate, found) => {
    const end = await orderNow(estate, found);
    expect(end).toMatchObject({ state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }], payments: [{ state: 'fully-refunded' }] });
    expect(end).not.toHaveProperty('pendingAction');
    for (const one of await counters(estate, 'lamp-last-one')) expect(one).toMatch(/ 0$/);
  },
};

/** The order is cancelled while its short units are not served yet. Short units are not released. */
const cancelledWhenShort: Journey<Known> = {
  begin: async (estate) => confirmed(estate, await paidDraft({ sku: 'mug-blue', qty: 3 })(estate)),
  steps: [started, async (estate, found) => cancelled(estate, await short(1)(estate, found)), rested, rested],
  killed: ['oms', 'fms', 'sim'],
  races: true,
  end: async (estate, found) => {
    const end = await orderNow(estate, found);
    expect([end.state, end.pendingAction, end.compensation]).toEqual(['cancelled', undefined, undefined]);
    expect((await counters(estate, 'mug-blue')).slice(0, 2)).toEqual(['998 0', '1000 0']);
  },
};

test.each([
  ['with short, refunded, delivered and lost units', shortAndLost],
  ['that is cancelled', cancelledInPicking],
  ['that is cancelled with units short', cancelledWhenShort],
])(
  'An order %s delivers, cancels or reserves each unit once, and refunds it once',
  async (_when, journey) => {
    expect(await eachCrash(journey)).toBeGreaterThan(8);
  },
  240_000,
);
