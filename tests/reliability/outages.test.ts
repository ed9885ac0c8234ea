import { afterAll, describe, expect, test } from '@jest/globals';
import { registeredApplications } from '../../estate/registry.ts';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import { isThorough } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH, card } from '../support/steps/tender.ts';

/**
 * Each story is played with each application away that its work calls, for an hour to ten days. When the application is back, nobody
 * redrives anything: everything is as in a world where it was never away, or `verify` names what is not.
 */

const LENGTHS = ['PT1H', 'PT3H', 'PT12H', 'P2D', 'P10D'] as const;
type Length = (typeof LENGTHS)[number];

interface Story {
  /** Everything is there. @returns the actions of clients while the application is away; a refused one is repeated when it is back */
  readonly begins: (scene: TestRehearsal) => Promise<readonly (() => Promise<{ readonly status: number }>)[]>;
  /** Whether the business ends it otherwise because of the outage, as documented. */
  readonly endsOtherwise?: (away: Application, length: Length) => boolean;
}

const post = (rehearsal: TestRehearsal, path: string, body: object = {}) => rehearsal.call('POST', path, body);

/** A confirmed order of Ada with a voucher, paid by card and points. */
async function confirmed(scene: TestRehearsal): Promise<string> {
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const basket = await scene.basket({ lines });
  const shippingAddress = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
  await scene.api('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress, voucherCodes: ['WELCOME10'] } });
  const { id } = await scene.draft(basket.id);
  const { redemption } = await scene.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 300, orderId: id } });
  const amount = { amount: 300, currency: 'EUR' };
  await scene.api('authorize-payment-api', { body: { orderId: id, tender: { type: 'loyalty', token: redemption.id }, amount } });
  await scene.authorisation(id);
  await scene.confirmed(id);
  await scene.settle();
  return id;
}

/** An authorisation expires after seven days: without a capture by then, the order is cancelled. */
const authorisationExpires = (away: Application, length: Length): boolean => away === 'payment-hub' && length === 'P10D';

const stories: Readonly<Record<string, Story>> = {
  'a cancellation': {
    begins: async (scene) => {
      const id = await confirmed(scene);
      return [() => post(scene, `/orders/${id}/cancel`)];
    },
  },
  'the confirmation of an order': {
    begins: async (scene) => {
      const { id } = await scene.draft();
      await scene.authorisation(id);
      return [() => post(scene, `/orders/${id}/confirm`)];
    },
  },
  'the way of an order to its customer': {
    begins: async (scene) => {
      await confirmed(scene);
      await scene.progress({ warehouse: 'time', carrier: 'time' });
      return [];
    },
    endsOtherwise: authorisationExpires,
  },
  'the dispatch and the scans of a parcel': {
    begins: async (scene) => {
      const id = await confirmed(scene);
      const [first] = await scene.routed(id);
      await scene.packed(first?.id ?? '');
      await scene.progress({ carrier: 'time' });
      return [() => scene.dispatch(first?.id ?? '')];
    },
  },
  'a short pick': {
    begins: async (scene) => {
      const order = await scene.confirmed();
      const [first] = await scene.routed(order.id);
      const picking = await scene.picked(first?.id ?? '', 'started');
      const lines = [{ orderLineId: order.lines[0].lineId, pickedQty: 1 }];
      return [() => scene.call('update-picking-status-api', { params: { id: picking.id }, body: { status: 'short', lines } })];
    },
    endsOtherwise: authorisationExpires,
  },
  'a sale at the till': {
    begins: async (rehearsal) => {
      const { id, totals } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
      return [() => rehearsal.pay(id, CASH, totals.total.amount)];
    },
  },
  'a voided sale': {
    begins: async (rehearsal) => {
      const { id, totals } = await rehearsal.sale();
      await rehearsal.pay(id, card(), totals.total.amount - 100);
      return [() => rehearsal.voidSale(id)];
    },
  },
  'an idle sale': {
    begins: async (rehearsal) => {
      const { id, totals } = await rehearsal.sale();
      await rehearsal.pay(id, card(), totals.total.amount - 100);
      return [];
    },
  },
  'a checkout that nobody goes on with': {
    begins: async (scene) => {
      const lines = [{ sku: 'mug-blue', qty: 1 }];
      const basket = await scene.api('create-basket-api', { body: { channel: 'web', lines } });
      const shippingAddress = { name: 'Bo', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
      await scene.api('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress, voucherCodes: ['WELCOME10'] } });
      const draft = await scene.draft({ lines });
      await scene.authorisation(draft.id);
      return [];
    },
  },
  'the refund of a return': {
    begins: async (scene) => {
      const order = await scene.completed([{ sku: 'mug-blue', qty: 2 }], 'cus_ada');
      const { id } = await scene.announced(order);
      await scene.moved(id, 'approve', 'receive');
      return [() => scene.move(id, 'inspect')];
    },
  },
  'a return that comes by parcel': {
    begins: async (scene) => {
      const order = await scene.completed([{ sku: 'mug-blue', qty: 2 }], 'cus_ada');
      const { id } = await scene.announced(order, 1, { dropOff: 'carrier' });
      await scene.progress({ returns: 'time', carrier: 'time' });
      return [() => scene.move(id, 'approve')];
    },
  },
  'a rejected return': {
    begins: async (scene) => {
      const order = await scene.completed([{ sku: 'mug-blue', qty: 2 }], 'cus_ada');
      const { id } = await scene.announced(order);
      return [() => scene.move(id, 'reject', { reason: 'worn' })];
    },
  },
};

/**
 * What plays each kind of due work: a story, or the reason why none does. `alone`: it calls no other application. `interrupted`: it
 * finishes a request whose process died, which `killed-at-every-commit` plays.
 */
const played: Readonly<Record<string, readonly string[]>> = {
  alone: [
    ...['carrier-platform|planned-scan', 'carrier-platform|give-up-parcel', 'crm|idle', 'ecommerce-platform|basket-idle'],
    ...['fms|give-up-delivery', 'fms|give-up-return', 'fms|give-up-silent-parcel', 'fms|return-step', 'loyalty-platform|return-redemption'],
    ...['payment-hub|approve-payment', 'payment-hub|expire-authorization', 'sim|expire-reservation'],
  ],
  interrupted: [
    ...['crm|finish-enrolment', 'ecommerce-platform|place-order', 'fms|undo-return', 'inventory-service|finish-allocation'],
    ...['oms|finish-cancellation', 'oms|finish-carry-out', 'oms|finish-confirmation', 'oms|finish-creation', 'pos|abandon-opening'],
    ...['pos|resolve-tender', 'sim|abort-hold', 'wms|finish-move', 'wms|finish-opening', 'payment-hub|give-up-payment'],
    ...['ecommerce-platform|undo-checkout', 'fms|put-back', 'oms|take-exchange-credit', 'oms|pay-out-return'],
  ],
  'tests/services/oms-lost-authorizations': ['oms|renew-authorization', 'oms|give-up-uncovered'],
  'tests/services/lost-parcels': ['fms|restock'],
  'tests/services/pos-changed-tenders': ['pos|capture-tenders'],
  'a cancellation': ['oms|compensate', 'payment-hub|give-back-points'],
  'the confirmation of an order': ['oms|route-order', 'oms|redeem-vouchers', 'fms|allocate', 'payment-hub|check-orphan'],
  'the way of an order to its customer': ['oms|capture-payments', 'oms|settle-order', 'oms|release-holds', 'wms|warehouse-step'],
  'the dispatch and the scans of a parcel': ['fms|take-stock', 'fms|hand-over', 'carrier-platform|deliver-webhook', 'sim|move-stock'],
  'a short pick': ['fms|write-off', 'oms|serve-short-lines'],
  'a sale at the till': ['pos|submit-order'],
  'a voided sale': ['pos|undo-sale'],
  'an idle sale': ['pos|expire-transaction'],
  'a checkout that nobody goes on with': [
    ...['ecommerce-platform|checkout-ttl', 'ecommerce-platform|release-holds', 'oms|expire-draft', 'sim|give-back-stock'],
  ],
  'the refund of a return': ['fms|settle-return', 'fms|close-return', 'fms|book-returned-stock'],
  'a return that comes by parcel': ['fms|return-parcel'],
  'a rejected return': ['fms|finish-rejection'],
};

/** An outage may make an application try again: an authorisation that expires is renewed, and a reservation is made anew. */
const SPENT: ReadonlySet<string> = new Set(['voided', 'failed', 'expired', 'released']);
const lasting = (states: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(states).filter(([state]) => !SPENT.has(state)));

/** States, stock and points of a whole rehearsal. */
async function endOf({ client }: TestRehearsal) {
  const { items } = await client.control('list-object-types');
  const stock = await client.control('list-stock', { query: { limit: 500 } });
  const ada = await client.call('GET', '/members/loy_ada/balance');
  return {
    states: Object.fromEntries(items.map(({ type, states }) => [type, lasting(states)])),
    stock: stock.items.filter(({ sku }) => sku === 'mug-blue'),
    points: ada.body.pointsBalance,
  };
}

const repeatedly = async (rehearsal: TestRehearsal, actions: readonly (() => Promise<{ readonly status: number }>)[]) => {
  for (const act of actions) {
    const { status } = await act();
    if (status >= 500) throw new Error(`The action is still answered with ${status}.`);
  }
  await rehearsal.settle();
};

/** The story without an outage: its end, and the applications that its applications call. */
async function undisturbed(story: Story, length: Length) {
  await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
  const actions = await story.begins(scene);
  const before = (await scene.journal()).length;
  await repeatedly(scene, actions);
  await advance(scene, length);
  const hops = (await scene.journal()).slice(before);
  await advance(scene, AFTERWARDS);
  await scene.verify();
  const own = new Map(hops.map(({ requestId, application }) => [requestId, application]));
  const called = hops.filter(({ application, parentId }) => own.has(parentId) && own.get(parentId) !== application);
  return { end: await endOf(scene), called: new Set<Application>(called.map(({ application }) => application)) };
}

/** The timers that an outage has put off run in this time. */
const AFTERWARDS = 'P15D';

async function advance({ client }: TestRehearsal, by: string): Promise<void> {
  const { settled, waitingFor } = await client.control('advance-clock', { body: { by, timeoutMs: 60_000 } });
  expect([settled, waitingFor]).toEqual([true, []]);
}

/** The story while an application is away. */
async function disturbed(story: Story, away: Application, length: Length) {
  await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
  const actions = await story.begins(scene);
  await scene.fault('away', { match: { application: away }, fault: { kind: 'outage' } });
  const replies: (() => Promise<{ readonly status: number }>)[] = [];
  for (const act of actions) if ((await act()).status >= 500) replies.push(act);
  await advance(scene, length);
  await scene.noFaults();
  await scene.settle();
  await repeatedly(scene, replies);
  const { holds, invariants } = await scene.client.control('verify');
  const atReturn = { holds, violations: invariants.flatMap(({ violations }) => violations) };
  await advance(scene, AFTERWARDS);
  await scene.verify();
  expect((await scene.client.control('list-parked')).items).toEqual([]);
  // Drafts and idle sales end after a day: a client that was refused comes back too late.
  const isTooLate = replies.length > 0 && (length === 'P2D' || length === 'P10D');
  return { atReturn, isTooLate, end: await endOf(scene) };
}

describe('Outages', () => {
  test('of applications cover every kind of due work', () => {
    const declared = registeredApplications.flatMap(({ service }) =>
      Object.keys(service.due).map((kind) => `${service.application}|${kind}`),
    );
    expect(Object.values(played).flat().toSorted()).toEqual(declared.toSorted());
  });

  let turn = 0;
  describe.each(Object.entries(stories))('during %s', (name, story) => {
    test.each(applicationNames)(
      'of %s leave nothing undone',
      async (away) => {
        const lengths = isThorough ? LENGTHS : [LENGTHS[turn++ % LENGTHS.length] ?? 'P2D'];
        for (const length of lengths) {
          const calm = await undisturbedOnce(name, story, length);
          if (!calm.called.has(away)) continue;
          pairs.add(`${name}: ${away}`);
          const { atReturn, isTooLate, end } = await disturbed(story, away, length);
          expect([name, away, length, atReturn]).toEqual([name, away, length, { holds: true, violations: [] }]);
          if (!isTooLate && !story.endsOtherwise?.(away, length)) expect([name, away, length, end]).toEqual([name, away, length, calm.end]);
        }
      },
      300_000,
    );
  });

  const pairs = new Set<string>();
  const calms = new Map<string, ReturnType<typeof undisturbed>>();
  function undisturbedOnce(name: string, story: Story, length: Length) {
    const key = `${name} ${length}`;
    const known = calms.get(key) ?? undisturbed(story, length);
    calms.set(key, known);
    return known;
  }

  afterAll(() => {
    if (process.env['OUTAGES']) process.stderr.write(`${[...pairs].join('\n')}\n`);
  });
});
