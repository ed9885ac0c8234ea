import { describe, expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step, takeOver } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * Two stories. In the first a mug is short and served elsewhere, the last lamp is short, one parcel arrives and the other is lost. In the
 * second the order is cancelled during picking, with or without short units. A process is killed before and after each of its commits.
 * Each unit is delivered, cancelled or held once, and refunded once.
 */
interface Routed {
  readonly id: string;
  readonly lines: readonly { readonly lineId: string; readonly sku: string; readonly lineTotal: { readonly amount: number } }[];
  readonly fulfillmentOrders: readonly { readonly id: string; readonly state: string }[];
  readonly totals: { readonly total: { readonly amount: number }; readonly shipping: { readonly amount: number } };
}

function working(estate: CrashingEstate) {
  const { ok } = estate;
  const paidDraft = async (lines: readonly { sku: string; qty: number }[]): Promise<string> => {
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const { id } = await ok('oms', 'POST', '/orders', { basketId: basket.id });
    await ok('payment-hub', 'POST', '/payments/authorizations', { orderId: id, tender: { type: 'card', token: 'tok_visa' } });
    return id;
  };
  const confirmed = async (id: string): Promise<Routed> => {
    await ok('oms', 'POST', `/orders/${id}/confirm`);
    await takeOver(estate);
    return order(id);
  };
  const order = async (id: string) => ok('oms', 'GET', `/orders/${id}`);
  const startPicking = async (fulfillmentOrderId = ''): Promise<string> => {
    const { id } = await ok('wms', 'POST', '/picking-orders', { fulfillmentOrderId });
    await ok('wms', 'PUT', `/picking-orders/${id}/status`, { status: 'started' });
    return id;
  };
  return { paidDraft, confirmed, order, startPicking };
}

/** A confirmed order, with the pickings and parcels of its fulfillment orders. */
interface Known {
  readonly id: string;
  readonly routed: Routed;
  readonly fulfilments: readonly string[];
  readonly pickings: readonly string[];
  readonly parcels: readonly string[];
}

const known = (routed: Routed, pickings: readonly string[] = []): Known => ({
  id: routed.id,
  routed,
  fulfilments: routed.fulfillmentOrders.map(({ id }) => id),
  pickings,
  parcels: [],
});

const rested: Step<Known> = async (estate, found) => {
  await takeOver(estate);
  return found;
};

/** Starts picking of the next fulfillment order. */
const started: Step<Known> = async (estate, found) => {
  const id = await working(estate).startPicking(found.fulfilments[found.pickings.length]);
  return { ...found, pickings: [...found.pickings, id] };
};

const picked =
  (which: number, status: string): Step<Known> =>
  async (estate, found) => {
    await estate.ok('wms', 'PUT', `/picking-orders/${found.pickings[which]}/status`, { status });
    return found;
  };

/** Confirms the picked quantity of each line of the first fulfillment order. */
const short =
  (...quantities: readonly number[]): Step<Known> =>
  async (estate, found) => {
    const lines = quantities.map((pickedQty, index) => ({ orderLineId: found.routed.lines[index]?.lineId, pickedQty }));
    await estate.ok('wms', 'PUT', `/picking-orders/${found.pickings[0]}/status`, { status: 'short', lines });
    return found;
  };

/** Dispatches the next fulfillment order. */
const sent: Step<Known> = async (estate, found) => {
  const path = `/fulfillment/orders/${found.fulfilments[found.parcels.length]}/dispatch`;
  const { shipments } = await estate.ok('fms', 'POST', path, {});
  return { ...found, parcels: [...found.parcels, shipments[0].id] };
};

const scanned = (which: number, ...scans: readonly string[]): readonly Step<Known>[] =>
  scans.map((scan) => async (estate, found) => {
    await estate.ok('carrier-platform', 'POST', `/internal/shipments/${found.parcels[which]}/scans`, { scan });
    return found;
  });

const cancel: Step<Known> = async (estate, found) => {
  await estate.ok('oms', 'POST', `/orders/${found.id}/cancel`);
  return found;
};

const shortAndLost: Journey<Known> = {
  begin: async (estate) => {
    const { paidDraft, order } = working(estate);
    const lines = [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'lamp-last-one', qty: 1 },
    ];
    return known(await order(await paidDraft(lines)));
  },
  steps: [
    async (estate, { id }) => known(await working(estate).confirmed(id)),
    started,
    short(1, 0),
    rested,
    async (estate, found) => {
      const routed: Routed = await working(estate).order(found.id);
      expect(routed.fulfillmentOrders).toHaveLength(2);
      expect(routed.lines).toMatchObject([{ cancelledQty: 0 }, { cancelledQty: 1 }]);
      return { ...found, fulfilments: routed.fulfillmentOrders.map(({ id }) => id) };
    },
    picked(0, 'packed'),
    started,
    picked(1, 'picked'),
    picked(1, 'packed'),
    sent,
    sent,
    ...scanned(0, 'collect', 'depart', 'out-for-delivery', 'deliver'),
    ...scanned(1, 'collect', 'lose'),
    rested,
  ],
  killed: ['oms', 'payment-hub'],
  end: async (estate, { id, routed: { lines, totals } }) => {
    const end = await working(estate).order(id);
    expect(end).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 1 }, { cancelledQty: 1 }] });
    const mugs = lines[0]?.lineTotal.amount ?? 0;
    const kept = mugs - Math.floor(mugs / 2) + totals.shipping.amount;
    expect(end.payments).toMatchObject([{ capturedAmount: totals.total, refundedAmount: { amount: totals.total.amount - kept } }]);
    expect(end).not.toHaveProperty('compensation');
  },
};

const cancelled: Journey<Known> = {
  begin: async (estate) => {
    const { paidDraft, confirmed, startPicking } = working(estate);
    const routed = await confirmed(await paidDraft([{ sku: 'lamp-last-one', qty: 1 }]));
    return known(routed, [await startPicking(routed.fulfillmentOrders[0]?.id)]);
  },
  steps: [cancel, rested],
  killed: ['oms', 'fms', 'payment-hub'],
  end: async (estate, { id }) => {
    const end = await working(estate).order(id);
    expect(end).toMatchObject({ state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }], payments: [{ state: 'fully-refunded' }] });
    expect(end).not.toHaveProperty('pendingAction');
    const { locations } = await estate.ok('sim', 'GET', '/inventory/items/lamp-last-one');
    expect(locations.reduce((sum: number, { reserved }: { reserved: number }) => sum + reserved, 0)).toBe(0);
  },
};

/** A mug is short and served elsewhere; then the order is cancelled. Short units are not released. */
const cancelledWhenShort: Journey<Known> = {
  begin: async (estate) => {
    const { paidDraft, confirmed } = working(estate);
    return known(await confirmed(await paidDraft([{ sku: 'mug-blue', qty: 3 }])));
  },
  steps: [
    started,
    // While the short units are not served yet.
    async (estate, found) => cancel(estate, await short(1)(estate, found)),
    rested,
    rested,
  ],
  killed: ['oms', 'fms', 'sim'],
  races: true,
  end: async (estate, { id }) => {
    const end = await working(estate).order(id);
    expect(end).toMatchObject({ state: 'cancelled' });
    for (const status of ['pendingAction', 'compensation']) expect(end).not.toHaveProperty(status);
    const { locations } = await estate.ok('sim', 'GET', '/inventory/items/mug-blue');
    const counted = locations.map(({ locationId, onHand, reserved }: Record<string, unknown>) => [locationId, onHand, reserved]);
    expect(counted.slice(0, 2)).toEqual([
      ['dc-01', 998, 0],
      ['dc-02', 1000, 0],
    ]);
  },
};

describe('An order in fulfilment comes to the same end when a process dies', () => {
  test.each([
    ['while units are short, refunded, delivered and lost', shortAndLost],
    ['while it is cancelled', cancelled],
    ['while it is cancelled with units short', cancelledWhenShort],
  ])(
    '%s',
    async (_when, journey) => {
      expect(await eachCrash(journey)).toBeGreaterThan(8);
    },
    240_000,
  );
});
