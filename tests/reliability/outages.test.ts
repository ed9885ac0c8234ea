import { describe, expect, test } from '@jest/globals';
import { registeredApplications } from '../../estate/registry.ts';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import { isThorough } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { collectionSteps } from '../support/steps/collection.ts';
import { givenOrder } from '../support/steps/given.ts';
import { payAtCounterSteps } from '../support/steps/pay-at-counter.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

const LENGTHS = ['PT1H', 'PT3H', 'PT12H', 'P2D', 'P10D'] as const;
type Length = (typeof LENGTHS)[number];
type Reply = Promise<{ readonly status: number }>;

/** A retailer that has time to replace lost goods. */
const PATIENT: Readonly<Record<string, { readonly retailer: Record<string, unknown> }>> = {
  'goods in place of lost ones': { retailer: { replaceLostWithin: 'P2D' } },
  'goods that are lost and never replaced': { retailer: { replaceLostWithin: 'P2D' } },
  'goods that are lost on their way to a store': { retailer: { replaceLostWithin: 'P2D' } },
};

/** Prepares work that calls other applications. @returns the requests of clients during the outage; a refused one is repeated afterwards */
type Story = (rehearsal: TestRehearsal) => Promise<readonly (() => Reply)[]>;

const MUGS = [{ sku: 'mug-blue', qty: 2 }];

/** A confirmed order of Ada with a voucher, paid by card and points. */
async function confirmed(rehearsal: TestRehearsal): Promise<string> {
  const { id: orderId } = await rehearsal.draft({ lines: MUGS, voucherCodes: ['WELCOME10'] });
  const { redemption } = await rehearsal.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 300, orderId } });
  const tender = { type: 'loyalty', token: redemption.id } as const;
  await rehearsal.api('authorize-payment-api', { body: { orderId, tender, amount: eur(300) } });
  await rehearsal.authorisation(orderId);
  await rehearsal.confirmed(orderId);
  await rehearsal.settle();
  return orderId;
}
/** A sale at the till that is not paid completely. */
async function partlyPaid(rehearsal: TestRehearsal): Promise<string> {
  const { id, totals } = await rehearsal.sale();
  await rehearsal.pay(id, card(), totals.total.amount - 100);
  return id;
}

const stories: Readonly<Record<string, Story>> = {
  'a cancellation': async (rehearsal) => {
    const id = await confirmed(rehearsal);
    return [() => rehearsal.cancel(id)];
  },
  'a change to fewer units': async (rehearsal) => {
    const { id, lines } = await rehearsal.confirmed({ lines: [{ sku: 'mug-blue', qty: 3 }] });
    const body = { lines: [{ lineId: lines[0].lineId, qty: 1 }] };
    return [() => rehearsal.call('change-order-api', { params: { id }, body })];
  },
  'an imported order': async (rehearsal) => [() => rehearsal.call('create-order-api', { body: givenOrder('outage') })],
  'goods in place of lost ones': async (rehearsal) => {
    const { id, lines } = await rehearsal.confirmed();
    await rehearsal.lost(await rehearsal.dispatched(await rehearsal.onlyFulfilment(id)));
    const body = { lines: [{ orderLineId: lines[0].lineId, qty: 1 }], reason: 'lost' as const };
    return [() => rehearsal.call('create-replacement-api', { params: { id }, body })];
  },
  'goods that are lost and never replaced': async (rehearsal) => {
    const { id } = await rehearsal.confirmed();
    await rehearsal.lost(await rehearsal.dispatched(await rehearsal.onlyFulfilment(id)));
    return [];
  },
  'goods that are lost on their way to a store': async (rehearsal) => {
    const { toCollect } = collectionSteps(rehearsal);
    const { fulfillmentOrderId } = await toCollect(undefined, [{ sku: 'mug-blue', qty: 60 }]);
    await rehearsal.lost(await rehearsal.dispatched(fulfillmentOrderId));
    return [];
  },
  'a change to a collection': async (rehearsal) => {
    const { id } = await rehearsal.confirmed();
    return [() => rehearsal.call('change-order-api', { params: { id }, body: { collection: { locationId: 'store-01' } } })];
  },
  'the confirmation of an order': async (rehearsal) => {
    const { id } = await rehearsal.authorised();
    return [() => rehearsal.confirm(id)];
  },
  'the way of an order to its customer': async (rehearsal) => {
    await confirmed(rehearsal);
    await rehearsal.progress({ warehouse: 'time', carrier: 'time' });
    return [];
  },
  'the dispatch and the scans of a parcel': async (rehearsal) => {
    const id = await rehearsal.onlyFulfilment(await confirmed(rehearsal));
    await rehearsal.packed(id);
    await rehearsal.progress({ carrier: 'time' });
    return [() => rehearsal.dispatch(id)];
  },
  'a short pick': async (rehearsal) => {
    const { id, lines } = await rehearsal.confirmed();
    const picking = await rehearsal.picked(await rehearsal.onlyFulfilment(id), 'started');
    return [() => rehearsal.movePicking(picking.id, 'short', [{ orderLineId: lines[0].lineId, pickedQty: 1 }])];
  },
  'a sale at the till': async (rehearsal) => {
    const { id, totals } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    return [() => rehearsal.pay(id, CASH, totals.total.amount)];
  },
  'a voided sale': async (rehearsal) => {
    const id = await partlyPaid(rehearsal);
    return [() => rehearsal.voidSale(id)];
  },
  'an idle sale': async (rehearsal) => {
    await partlyPaid(rehearsal);
    return [];
  },
  'an abandoned checkout': async (rehearsal) => {
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
    await rehearsal.checkedOut(id, { voucherCodes: ['WELCOME10'] });
    await rehearsal.authorised({ lines });
    return [];
  },
  'the refund of a return': async (rehearsal) => {
    const { id } = await rehearsal.announced(await rehearsal.completed());
    await rehearsal.moved(id, 'approve', 'receive');
    return [() => rehearsal.move(id, 'inspect')];
  },
  'a return that comes by parcel': async (rehearsal) => {
    const { id } = await rehearsal.announced(await rehearsal.completed(), 1, { dropOff: 'carrier' });
    await rehearsal.progress({ returns: 'time', carrier: 'time' });
    return [() => rehearsal.move(id, 'approve')];
  },
  'a short pick of an order whose payment is disputed': async (rehearsal) => {
    const { id, lines, payments } = await rehearsal.confirmed();
    const params = { id: payments[0]?.id ?? '' };
    const picking = await rehearsal.picked(await rehearsal.onlyFulfilment(id), 'started');
    await rehearsal.control('open-dispute', { params, body: { reason: 'fraudulent', amount: eur(500) } });
    await rehearsal.movePicking(picking.id, 'short', [{ orderLineId: lines[0].lineId, pickedQty: 1 }]);
    await rehearsal.settle();
    return [() => rehearsal.call('close-dispute', { params, body: { outcome: 'won' } })];
  },
  'a rejected return': async (rehearsal) => {
    const { id } = await rehearsal.announced(await rehearsal.completed());
    return [() => rehearsal.move(id, 'reject', { reason: 'worn' })];
  },
  'a collection with a refused unit': async (rehearsal) => {
    const { atCounter, fulfilment, handOver } = collectionSteps(rehearsal);
    const { fulfillmentOrderId: id, code } = await atCounter();
    const [line] = (await fulfilment(id)).lines;
    return [() => handOver(id, { code, refused: [{ orderLineId: line?.orderLineId, qty: 1 }] })];
  },
  'the arrival of goods from a warehouse': async (rehearsal) => {
    // The store has 50.
    const { fulfillmentOrderId: id } = await collectionSteps(rehearsal).toCollect(undefined, [{ sku: 'mug-blue', qty: 60 }]);
    await rehearsal.packed(id);
    await rehearsal.progress({ carrier: 'time' });
    return [() => rehearsal.dispatch(id)];
  },
  'an order that is paid at the counter': async (rehearsal) => {
    const { unpaidAtCounter, openTill } = payAtCounterSteps(rehearsal);
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await rehearsal.pay(orderId, card(), 1_000);
    return [() => rehearsal.pay(orderId, CASH, 1_598)];
  },
  'a payment at the counter whose order is cancelled': async (rehearsal) => {
    const { unpaidAtCounter, openTill } = payAtCounterSteps(rehearsal);
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await rehearsal.pay(orderId, card(), 1_000);
    return [() => rehearsal.cancel(orderId)];
  },
  'a replacement of damaged goods': async (rehearsal) => {
    const { id, lines } = await rehearsal.completed();
    const body = { lines: [{ orderLineId: lines[0].lineId, qty: 1 }], reason: 'damaged' as const };
    await rehearsal.progress({ warehouse: 'time', carrier: 'time' });
    return [() => rehearsal.call('create-replacement-api', { params: { id }, body })];
  },
  'goods that nobody collects': async (rehearsal) => {
    await collectionSteps(rehearsal).atCounter();
    return [];
  },
};

/**
 * For each kind of due work, the story that runs it, or the reason why there is none. `alone`: it calls no other application. `interrupted`: it
 * finishes a request whose process died, which `killed-at-every-commit` tests.
 */
const played: Readonly<Record<string, readonly string[]>> = {
  alone: [
    ...['carrier-platform|planned-scan', 'carrier-platform|give-up-parcel', 'crm|idle', 'ecommerce-platform|basket-idle'],
    ...['fms|give-up-delivery', 'fms|give-up-return', 'fms|give-up-silent-parcel', 'fms|return-step', 'loyalty-platform|return-redemption'],
    ...['payment-hub|approve-payment', 'payment-hub|expire-authorization', 'payment-hub|decide-refund', 'payment-hub|lose-dispute'],
    ...['sim|expire-reservation', 'fms|give-up-collection', 'fms|remind-customer', 'fms|unlock-collection'],
    'oms|refund-lost-goods',
  ],
  interrupted: [
    ...['crm|finish-enrolment', 'ecommerce-platform|place-order', 'fms|undo-return', 'inventory-service|finish-allocation'],
    ...[
      'oms|finish-cancellation',
      'oms|finish-carry-out',
      'oms|finish-confirmation',
      'oms|finish-creation',
      'oms|undo-given-order',
      'oms|finish-change',
      'pos|abandon-opening',
    ],
    ...['pos|resolve-tender', 'sim|abort-hold', 'wms|finish-move', 'wms|finish-opening', 'payment-hub|give-up-payment'],
    ...['ecommerce-platform|undo-checkout', 'fms|put-back', 'oms|take-exchange-credit', 'oms|pay-out-return'],
  ],
  'tests/services/oms-lost-authorizations': ['oms|renew-authorization', 'oms|give-up-uncovered'],
  'tests/services/fms-crashes': ['fms|restock'],
  'tests/services/pos-changed-tenders': ['pos|capture-tenders'],
  'a cancellation': ['oms|compensate', 'payment-hub|give-back-points'],
  'a change to fewer units': [],
  'a change to a collection': [],
  'the confirmation of an order': ['oms|route-order', 'oms|redeem-vouchers', 'fms|allocate', 'payment-hub|check-orphan'],
  'the way of an order to its customer': ['oms|capture-payments', 'oms|settle-order', 'oms|release-holds', 'wms|warehouse-step'],
  'the dispatch and the scans of a parcel': ['fms|take-stock', 'fms|hand-over', 'carrier-platform|deliver-webhook', 'sim|move-stock'],
  'a short pick': ['fms|write-off', 'oms|serve-short-lines'],
  'a sale at the till': ['pos|submit-order'],
  'a voided sale': ['pos|undo-sale'],
  'an idle sale': ['pos|expire-transaction'],
  'an abandoned checkout': [
    ...['ecommerce-platform|checkout-ttl', 'ecommerce-platform|release-holds', 'oms|expire-draft', 'sim|give-back-stock'],
  ],
  'the refund of a return': ['fms|settle-return', 'fms|close-return', 'fms|book-returned-stock'],
  'a return that comes by parcel': ['fms|return-parcel'],
  'a rejected return': ['fms|finish-rejection'],
  'a collection with a refused unit': ['fms|report-unit', 'fms|return-refused'],
  'the arrival of goods from a warehouse': [],
  'an order that is paid at the counter': [],
  'a payment at the counter whose order is cancelled': [],
  'goods that nobody collects': [],
  'a replacement of damaged goods': ['oms|finish-replacement'],
  'a short pick of an order whose payment is disputed': ['oms|refund-cancelled-units'],
};

/** Differences that an outage may cause: an expired authorisation is renewed, and an expired reservation is replaced. */
const SPENT: ReadonlySet<string> = new Set(['voided', 'failed', 'expired', 'released']);
const lasting = (states: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(states).filter(([state]) => !SPENT.has(state)));

/** States, stock and points of a whole rehearsal. */
async function endOf({ api, control }: TestRehearsal) {
  const { items } = await control('list-object-types');
  const stock = await control('list-stock', { query: { limit: 500 } });
  return {
    states: Object.fromEntries(items.map(({ type, states }) => [type, lasting(states)])),
    stock: stock.items.filter(({ sku }) => sku === 'mug-blue'),
    points: (await api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}

async function send(rehearsal: TestRehearsal, requests: readonly (() => Reply)[]): Promise<void> {
  for (const request of requests) {
    const { status } = await request();
    if (status >= 500) throw new Error(`The request is still answered with ${status}.`);
  }
  await rehearsal.settle();
}

/**
 * Whether a story may end differently, as documented: without a capture within seven days, an order is cancelled. Goods that wait at a counter are
 * put back before the OMS can capture the cash, which is voided then instead of refunded.
 */
const endsOtherwise = (name: string, away: Application, length: Length): boolean =>
  length === 'P10D' &&
  ((away === 'payment-hub' && (name === 'a short pick' || name === 'the way of an order to its customer')) ||
    (away === 'oms' && name === 'an order that is paid at the counter'));

/** How long the timers take that an outage has delayed. */
const AFTERWARDS = 'P15D';
const MANUAL = { warehouse: 'manual', store: 'manual', carrier: 'manual', returns: 'manual' } as const;

async function advance({ control }: TestRehearsal, by: string): Promise<void> {
  const { settled, waitingFor } = await control('advance-clock', { body: { by, timeoutMs: 60_000 } });
  expect([settled, waitingFor]).toEqual([true, []]);
}

/** The story without an outage: its end, and the applications that its applications call. */
async function undisturbed(name: string, story: Story, length: Length) {
  await using rehearsal = await newRehearsal(MANUAL, PATIENT[name]);
  const requests = await story(rehearsal);
  const before = (await rehearsal.journal()).length;
  await send(rehearsal, requests);
  await advance(rehearsal, length);
  const hops = (await rehearsal.journal()).slice(before);
  await advance(rehearsal, AFTERWARDS);
  await rehearsal.verify();
  const own = new Map(hops.map(({ requestId, application }) => [requestId, application]));
  const called = hops.filter(({ application, parentId }) => own.has(parentId) && own.get(parentId) !== application);
  return { end: await endOf(rehearsal), called: new Set<Application>(called.map(({ application }) => application)) };
}

/** The story while an application is down. */
async function disturbed(name: string, story: Story, { away, length }: { away: Application; length: Length }) {
  await using rehearsal = await newRehearsal(MANUAL, PATIENT[name]);
  const requests = await story(rehearsal);
  await rehearsal.down(away);
  const refused: (() => Reply)[] = [];
  for (const request of requests) if ((await request()).status >= 500) refused.push(request);
  await advance(rehearsal, length);
  await rehearsal.noFaults();
  await rehearsal.settle();
  await send(rehearsal, refused);
  const { holds, invariants } = await rehearsal.control('verify');
  const atReturn = { holds, violations: invariants.flatMap(({ violations }) => violations) };
  await advance(rehearsal, AFTERWARDS);
  await rehearsal.verify();
  expect((await rehearsal.control('list-parked')).items).toEqual([]);
  // Drafts and idle sales end after a day, before a refused client repeats its request.
  const isTooLate = refused.length > 0 && (length === 'P2D' || length === 'P10D');
  return { atReturn, isTooLate, end: await endOf(rehearsal) };
}

test('The stories of outages play every kind of due work', () => {
  const declared = registeredApplications.flatMap(({ service }) =>
    Object.keys(service.due).map((kind) => `${service.application}|${kind}`),
  );
  expect(Object.values(played).flat().toSorted()).toEqual(declared.toSorted());
});

const calms = new Map<string, ReturnType<typeof undisturbed>>();
function undisturbedOnce(name: string, story: Story, length: Length) {
  const key = `${name} ${length}`;
  const known = calms.get(key) ?? undisturbed(name, story, length);
  calms.set(key, known);
  return known;
}

let turn = 0;
describe.each(Object.entries(stories))('Outages during %s', (name, story) => {
  test.each(applicationNames)(
    `An outage of %s during ${name} leaves nothing undone`,
    async (away) => {
      for (const length of isThorough ? LENGTHS : [LENGTHS[turn++ % LENGTHS.length] ?? 'P2D']) {
        const calm = await undisturbedOnce(name, story, length);
        if (!calm.called.has(away)) continue;
        const { atReturn, isTooLate, end } = await disturbed(name, story, { away, length });
        expect([length, atReturn]).toEqual([length, { holds: true, violations: [] }]);
        if (!isTooLate && !endsOtherwise(name, away, length)) expect([length, end]).toEqual([length, calm.end]);
      }
    },
    300_000,
  );
});
