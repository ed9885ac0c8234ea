import { expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step, takeOver } from '../support/each-crash.ts';
import { type CrashSteps, crashSteps } from '../support/steps/crash-steps.ts';
import type { Line } from '../support/steps/order.ts';
import { eur } from '../support/steps/tender.ts';

/** A confirmed order, with the pickings and parcels of its fulfillment orders. */
interface Known {
  readonly id: string;
  readonly pickings: readonly string[];
  readonly parcels: readonly string[];
}

const orderNow = (estate: CrashingEstate, { id }: Known) => crashSteps(estate).order(id);

const paidDraft =
  (...lines: readonly Line[]) =>
  async (estate: CrashingEstate): Promise<Known> => ({
    ...{ id: (await crashSteps(estate).authorised({ lines })).id, pickings: [], parcels: [] },
  });

/** A step that adds nothing. */
const step =
  (act: (steps: CrashSteps, known: Known) => Promise<unknown>): Step<Known> =>
  async (estate, known) => {
    await act(crashSteps(estate), known);
    return known;
  };

const rested: Step<Known> = async (estate, known) => {
  await takeOver(estate);
  return known;
};
const confirmed: Step<Known> = async (estate, known) => {
  await crashSteps(estate).confirmed(known.id);
  return rested(estate, known);
};
const cancelled = step(({ cancel }, { id }) => cancel(id));
const moved = (which: number, status: string) => step(({ movePicking }, { pickings }) => movePicking(pickings[which] ?? '', status));

/** Starts picking of the next fulfillment order. */
const started: Step<Known> = async (estate, known) => {
  const steps = crashSteps(estate);
  const next = (await steps.routed(known.id))[known.pickings.length];
  const { id } = await steps.picked(next?.id ?? '', 'started');
  return { ...known, pickings: [...known.pickings, id] };
};

/** Confirms the picked quantity of each line of the first fulfillment order. */
const short = (...quantities: readonly number[]) =>
  step(async ({ movePicking, order }, { id, pickings }) => {
    const { lines } = await order(id);
    const picked = quantities.map((pickedQty, index) => ({ orderLineId: lines[index]?.lineId, pickedQty }));
    await movePicking(pickings[0] ?? '', 'short', picked);
  });

/** Dispatches the next fulfillment order. */
const sent: Step<Known> = async (estate, known) => {
  const steps = crashSteps(estate);
  const next = (await steps.routed(known.id))[known.parcels.length];
  return { ...known, parcels: [...known.parcels, await steps.handedOver(next?.id ?? '')] };
};

const scanned = (which: number, ...scans: Parameters<CrashSteps['scanned']>[1][]) =>
  scans.map((scan) => step((steps, { parcels }) => steps.scanned(parcels[which] ?? '', scan)));

/** A mug is short and served elsewhere, the last lamp is short, one parcel arrives and the other is lost. */
const shortAndLost: Journey<Known> = {
  begin: paidDraft({ sku: 'mug-blue', qty: 2 }, { sku: 'lamp-last-one', qty: 1 }),
  steps: [
    ...[confirmed, started, short(1, 0), rested],
    step(async ({ order }, { id }) => {
      const { fulfillmentOrders, lines } = await order(id);
      expect([fulfillmentOrders.length, lines[0].cancelledQty, lines[1].cancelledQty]).toEqual([2, 0, 1]);
    }),
    ...[moved(0, 'packed'), started, moved(1, 'picked'), moved(1, 'packed'), sent, sent],
    ...scanned(0, 'collect', 'depart', 'out-for-delivery', 'deliver'),
    ...scanned(1, 'collect', 'lose'),
    rested,
  ],
  killed: ['oms', 'payment-hub'],
  end: async (estate, found) => {
    const end = await orderNow(estate, found);
    const { lines, totals } = end;
    expect(end).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 1 }, { cancelledQty: 1 }] });
    const mugs = lines[0].lineTotal.amount;
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
    expect(await crashSteps(estate).reserved('lamp-last-one')).toBe(0);
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
    expect(await crashSteps(estate).stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 0], 'dc-02': [1000, 0] });
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
