import { describe, expect, test as plainTest } from '@jest/globals';
import type { z } from 'zod';
import { readConfiguration } from '../../estate/configuration.ts';
import { startEstate } from '../../estate/estate.ts';
import { registeredApplications } from '../../estate/registry.ts';
import { DEMO_CREDENTIALS } from '../../rehearsal/estate-rehearsal.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { notedOrders } from '../../services/crm/collections.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { GATEWAY } from '../../shared/catalog/applications.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { dueWork } from '../../shared/catalog/due-work.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { verbApis } from '../../shared/catalog/verb-apis.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { type Reach, type Walk, walks } from '../flows/life-cycle-walks.ts';
import { someOf } from '../support/effort.ts';
import { estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { expectKept } from '../support/kept-list.ts';
import { noReport } from '../support/noted-report.ts';
import { onMonday } from '../support/steps/collection.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';
import { askFor, obstructed, reached } from './explained-states.ts';

const test = testIn(newRehearsal);

const explained = (rehearsal: TestRehearsal, type: string, id: string) => rehearsal.control('explain-object', { params: { type, id } });
type Explained = Awaited<ReturnType<typeof explained>>;

const codesOf = ({ reasons }: Pick<Explained, 'reasons'>) => reasons.map(({ code }) => code).join(' ');
const reason = ({ reasons }: Pick<Explained, 'reasons'>, code: string) => reasons.find((one) => one.code === code);

/** The codes of the reasons of each state, and the objects that it waits for, with their states. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  basket: {
    open: 'waits-for-customer deadline',
    locked: 'waits-for-client deadline',
    converted: 'ended',
    abandoned: 'expired ended',
    merged: 'ended',
  },
  order: {
    draft: 'waits-for-client deadline',
    confirmed: 'waits-for-object: fulfillment-order allocated',
    'in-fulfilment': 'waits-for-object: fulfillment-order picking',
    'partially-fulfilled': 'waits-for-object: fulfillment-order allocated',
    completed: 'waits-for-nothing',
    'return-in-progress': 'waits-for-object: return requested',
    cancelled: 'cancelled ended',
  },
  return: {
    requested: 'waits-for-customer-service',
    approved: 'waits-for-customer',
    'in-transit': 'waits-for-customer-service deadline',
    received: 'waits-for-warehouse',
    inspected: 'waits-for-client',
    refunded: 'ended',
    exchanged: 'ended',
    rejected: 'rejected ended',
  },
  product: {
    draft: 'waits-for-assortment',
    enrichment: 'waits-for-assortment',
    review: 'waits-for-assortment',
    active: 'waits-for-nothing',
    suspended: 'waits-for-assortment',
    discontinued: 'waits-for-nothing',
    archived: 'ended',
  },
  customer: {
    anonymous: 'waits-for-nothing',
    identified: 'waits-for-nothing',
    registered: 'waits-for-nothing',
    active: 'deadline',
    'at-risk': 'deadline',
    churned: 'waits-for-nothing',
    reactivated: 'deadline',
    blocked: 'waits-for-customer-service',
  },
  'fulfillment-order': {
    created: 'waits-for-estate work-awaits-application fault-strikes',
    allocated: 'waits-for-warehouse',
    picking: 'waits-for-warehouse',
    packed: 'waits-for-warehouse',
    dispatched: 'waits-for-object: shipment label-created',
    delivered: 'ended',
    'failed-delivery': 'waits-for-nothing failed',
    'returned-to-sender': 'ended',
    cancelled: 'ended',
  },
  reservation: {
    requested: 'waits-for-client deadline',
    confirmed: 'waits-for-client',
    expired: 'expired ended',
    fulfilled: 'ended',
    cancelled: 'ended',
    released: 'ended',
  },
  shipment: {
    pending: 'waits-for-client',
    'label-created': 'waits-for-carrier deadline',
    collected: 'waits-for-carrier deadline',
    'in-transit': 'waits-for-carrier deadline',
    'out-for-delivery': 'waits-for-carrier deadline',
    'delivery-attempted': 'waits-for-carrier deadline',
    'held-at-depot': 'waits-for-customer deadline',
    delivered: 'ended',
    'returned-to-sender': 'ended',
    lost: 'waits-for-nothing',
  },
  payment: {
    pending: 'waits-for-provider next-step deadline',
    'requires-action': 'waits-for-customer deadline',
    authorised: 'waits-for-object deadline: order draft',
    captured: 'waits-for-nothing',
    'partially-refunded': 'waits-for-nothing',
    'fully-refunded': 'waits-for-nothing',
    voided: 'ended',
    failed: 'declined ended',
  },
};

const verbsOf = (moves: readonly { readonly verb: string }[]) => [...new Set(moves.map(({ verb }) => verb))].toSorted();

const states = Object.entries(reached).flatMap(([type, ways]) => Object.entries(ways).map(([state, reach]) => ({ type, state, reach })));

interface Trial {
  readonly isTried?: (move: Explained['moves'][number]) => boolean;
  /** The probability of each refused verb. */
  readonly share?: number;
}

/** Makes each possible verb, and some of the others, of an object in the same state in another rehearsal: only the possible ones move it. */
async function tryMoves({ type, moves }: Explained, reach: Reach, { isTried = () => true, share = 0.3 }: Trial = {}): Promise<void> {
  const callable = moves.filter(({ by }) => by !== 'estate');
  const possible = callable.filter((move) => move.possible);
  const calls = new Set(possible.map(({ call }) => call));
  // In other states, the same call makes another verb.
  const refused = callable.filter((move) => !move.possible && !calls.has(move.call));
  for (const move of [...possible.filter(isTried), ...someOf(refused.filter(isTried), share)]) {
    const ask = askFor(type, move.verb);
    if (!ask) throw new Error(`The test has no way to make a ${type} ${move.verb}.`);
    await using rehearsal = await newRehearsal({ warehouse: 'manual' });
    const subject = await reach(rehearsal);
    const before = await rehearsal.object(type, subject.id);
    const { status } = await ask(rehearsal, subject.id);
    const after = await rehearsal.object(type, subject.id);
    const isAccepted = status < 300;
    // A refused cancellation notes its intention and withdraws it.
    const moves = isAccepted ? after.version > before.version : after.state !== before.state;
    const outcome = { verb: move.verb, moves, isAccepted };
    expect(outcome).toEqual({ verb: move.verb, moves: move.possible, isAccepted: move.possible || move.code === 'repeat' });
    if (move.possible) expect(move.to).toContain(after.state);
  }
}

type ExampleInput = NonNullable<Explained['moves'][number]['input']>;

/** The part of an example that its call does not accept. */
function refusedPart(call: string, { params, body }: ExampleInput): unknown {
  const known: Readonly<Record<string, { readonly path: string; readonly request: z.ZodType }>> = { ...apis, ...controlOperations };
  const { path = '', request } = known[call] ?? {};
  const missing = [...path.matchAll(/\{(\w+)\}/g)].filter(([, name = '']) => !params[name]);
  return missing.length > 0 ? missing : request ? request.safeParse(body).error?.message : 'an unknown call';
}

describe('The explanation of an object', () => {
  plainTest('The explained states are all states of all life cycles', () => {
    const all = objects.flatMap(({ type, lifeCycle }) => (lifeCycle?.states ?? []).map((state) => `${type} ${state}`));
    const kept = Object.entries(EXPECTED).flatMap(([type, of]) => Object.keys(of).map((state) => `${type} ${state}`));
    expectKept('tests/control/explanations.test.ts, `EXPECTED`', kept, all);
  });

  test.each(states)(
    'The explanation of $type in state $state names what it waits for, and only verbs that it calls possible move it',
    async (rehearsal, { type, state, reach }) => {
      await rehearsal.progress({ warehouse: 'manual' });
      const { id } = await reach(rehearsal);
      const found = await explained(rehearsal, type, id);
      const nested = found.waitsFor.map((one) => `: ${one.type} ${one.state}`).join('');
      expect(`${codesOf(found)}${nested}`).toBe(EXPECTED[type]?.[state]);
      const { updatedAt, version } = await rehearsal.object(type, id);
      expect(found).toMatchObject({ type, id, state, isFinal: codesOf(found).includes('ended') });
      expect(Date.parse(found.since ?? '')).toBeLessThanOrEqual(Date.parse(updatedAt));
      expect(found.cause?.kind).toBe(version === 1 && found.cause?.event === undefined ? 'initial-data' : found.cause?.kind);
      expect(['unknown', undefined]).not.toContain(found.cause?.kind);

      for (const { call = '', input } of [...found.moves, ...found.steps])
        if (input) expect([call, refusedPart(call, input)]).toEqual([call, undefined]);

      // The walks through the life cycles show which of their verbs move the object.
      const { verbs, lifeCycle } = walks[type] as Walk;
      const isWalked = ({ verb }: { verb: string }): boolean => verb in verbs;
      const allowed = lifeCycle.rows.filter((row) => isWalked(row) && !row.again && row.from.includes(state));
      expect(verbsOf(found.moves.filter((move) => isWalked(move) && move.possible))).toEqual(verbsOf(allowed));
      await tryMoves(found, reach, { isTried: (move) => !isWalked(move) });
    },
  );

  test.each(Object.entries(obstructed))(
    'Only verbs that the explanation calls possible move %s',
    async (rehearsal, _story, { type, refused, reach }) => {
      await rehearsal.progress({ warehouse: 'manual' });
      const found = await explained(rehearsal, type, (await reach(rehearsal)).id);
      const obstacles = found.moves.flatMap(({ verb, code = '' }) => (['rule', 'other-object', 'repeat'].includes(code) ? [verb] : []));
      expect(obstacles).toEqual(expect.arrayContaining([...refused]));
      await tryMoves(found, reach, { share: 1 });
    },
  );

  test('Create Customer with the e-mail of two guests registers the older one, which the explanation of the younger one names', async (rehearsal) => {
    const { email } = await rehearsal.object('customer', 'cus_hugo');
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const { id: basketId, customerId } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
    await rehearsal.checkedOut(basketId, { contact: { email } });
    const register = async (id: string) => (await explained(rehearsal, 'customer', id)).moves.find(({ verb }) => verb === 'register');
    expect(await register('cus_hugo')).toMatchObject({ possible: true });
    const refs = [{ type: 'customer', id: 'cus_hugo' }];
    expect(await register(customerId)).toMatchObject({ possible: false, code: 'other-object', refs });
    await rehearsal.api('create-customer-api', { body: { firstName: 'Hugo', lastName: 'Lang', email } });
    const states = [customerId, 'cus_hugo'].map(async (id) => (await rehearsal.object('customer', id)).state);
    expect(await Promise.all(states)).toEqual(['identified', 'registered']);
  });

  const REFUSED = expect.any(String);
  /** The steps that are possible, and why the others are not. */
  const stepsOf = async (rehearsal: TestRehearsal, type: string, id: string) =>
    Object.fromEntries((await explained(rehearsal, type, id)).steps.map(({ step, possible, why }) => [step, possible || why]));

  test('An order can be paid with a card or with points until its payments cover it', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    expect(await stepsOf(rehearsal, 'order', id)).toMatchObject({ pay: true, 'pay-with-points': true });
    await rehearsal.authorisation(id);
    expect(await stepsOf(rehearsal, 'order', id)).toMatchObject({ pay: REFUSED, 'pay-with-points': REFUSED });
  });

  test('The address, the way and the method of an order can be changed until its goods leave', async (rehearsal) => {
    const basket = await rehearsal.checkedOut({}, { shippingMethod: 'EXPRESS' });
    const { id } = await rehearsal.draft(basket.id);
    await rehearsal.authorisation(id);
    await rehearsal.confirmed(id);
    await rehearsal.settle();
    expect(await stepsOf(rehearsal, 'order', id)).toMatchObject({
      'change-address': true,
      'change-delivery': 'Nobody collects it in a store.',
      'change-place': true,
      'change-method': true,
    });
    await rehearsal.dispatched(await rehearsal.onlyFulfilment(id));
    expect(await stepsOf(rehearsal, 'order', id)).toMatchObject({
      'change-address': REFUSED,
      'change-place': REFUSED,
      'change-method': REFUSED,
    });
  });

  plainTest('Goods at a counter can be handed over in part, and to the person whom the checkout named', async () => {
    await using rehearsal = await onMonday();
    const { orderId, fulfillmentOrderId, code } = await rehearsal.atCounter({ locationId: 'store-01', person: 'Ada Quay' });
    expect(await stepsOf(rehearsal, 'fulfillment-order', fulfillmentOrderId)).toMatchObject({
      'hand-over-part': true,
      'hand-over-to-person': true,
    });
    expect(await stepsOf(rehearsal, 'order', orderId)).toMatchObject({ 'change-delivery': REFUSED, 'change-place': REFUSED });
    await rehearsal.handOver(fulfillmentOrderId, { code });
    expect(await stepsOf(rehearsal, 'fulfillment-order', fulfillmentOrderId)).toMatchObject({
      'hand-over-part': REFUSED,
      'hand-over-to-person': REFUSED,
    });
  });

  test('The goods of a basket can be collected in a store until it has an order', async (rehearsal) => {
    const { id } = await rehearsal.basket();
    expect(await stepsOf(rehearsal, 'basket', id)).toMatchObject({ 'collect-in-store': true });
    await rehearsal.draft((await rehearsal.checkedOut(id)).id);
    expect(await stepsOf(rehearsal, 'basket', id)).toMatchObject({ 'collect-in-store': REFUSED });
  });

  test('The explanation of an order names who moved it and the trace, and contains what it waits for', async (rehearsal) => {
    const { id, orderNumber } = await rehearsal.confirmed();
    await rehearsal.settle();
    const found = await explained(rehearsal, 'order', id);
    const [hop] = (await rehearsal.journal(found.cause?.correlationId)).filter(({ api }) => api === 'confirm-order-api');
    expect(found.cause).toMatchObject({ kind: 'api', name: 'confirm-order-api', by: 'client', application: 'oms', from: 'draft' });
    expect(found.cause?.requestId).toBe(hop.requestId);
    expect(found.head).toMatch(
      new RegExp(`^Order ${orderNumber} has been confirmed since \\d\\d:\\d\\d, by Confirm Order, called by a client\\.$`),
    );
    const [goods] = found.waitsFor;
    expect(goods?.cause).toMatchObject({ kind: 'call', by: 'oms', begunBy: 'Confirm Order, called by a client' });
    const step = reason(goods as Explained, 'next-step');
    expect(step?.text).toMatch(/^At .* the WMS takes the next step of picking, packing and dispatch\.$/);
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.advance('P2D');
    expect(codesOf(await explained(rehearsal, 'order', id))).toBe('waits-for-nothing');
  });

  test('A draft whose payment is missing, undecided or complete waits for the customer, the payment, or the confirmation', async (rehearsal) => {
    const { id, totals } = await rehearsal.draft();
    const first = await explained(rehearsal, 'order', id);
    expect(reason(first, 'waits-for-customer')?.text).toMatch(/^It waits for the customer to pay \d+\.\d\d EUR\.$/);
    expect(first.moves.find(({ verb }) => verb === 'confirm')).toMatchObject({ possible: false, code: 'rule' });
    await rehearsal.authorisation(id, totals.total.amount - 100);
    await rehearsal.authorisation(id, 100, 'tok_3ds');
    const second = await explained(rehearsal, 'order', id);
    expect(codesOf(second)).toBe('waits-for-object deadline');
    expect(second.waitsFor).toMatchObject([{ type: 'payment', state: 'requires-action' }]);
    expect(second.moves.find(({ verb }) => verb === 'confirm')).toMatchObject({ possible: false, code: 'other-object' });
  });

  test('A confirmed order whose authorisation was lost waits for another one, and for its cancellation', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    const { id } = await rehearsal.confirmed();
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await rehearsal.fault('declining', { match: { api: 'authorize-payment-api' }, fault, times: 1 });
    await rehearsal.advance('P7D');
    const found = await explained(rehearsal, 'order', id);
    expect(codesOf(found)).toBe('waits-for-customer waits-for-object deadline');
    expect(reason(found, 'waits-for-customer')?.text).toBe('It waits for 30.88 EUR to be authorised again: an authorisation was lost.');
    expect(reason(found, 'deadline')?.text).toMatch(/ the OMS cancels the order, unless its payments cover the total first\.$/);
    const { id: paymentId } = await rehearsal.authorisation(id);
    expect(codesOf(await explained(rehearsal, 'order', id))).toBe('waits-for-object');
    await rehearsal.api('void-payment-api', { params: { id: paymentId } });
    await rehearsal.advance('P1D');
    expect(codesOf(await explained(rehearsal, 'order', id))).toBe('cancelled ended');
  });

  test('A confirmed order with a lost authorisation that is replaced, and another one captured in part, is not cancelled by time', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual', capture: 'manual' });
    const { id } = await rehearsal.draft();
    const { id: captured } = await rehearsal.authorisation(id, 1000);
    const { id: lost } = await rehearsal.authorisation(id, 2088);
    await rehearsal.api('confirm-order-api', { params: { id } });
    await rehearsal.api('capture-payment-api', { params: { id: captured }, body: { amount: eur(600) } });
    await rehearsal.api('void-payment-api', { params: { id: lost } });
    await rehearsal.settle();
    const deadline = async () => reason(await explained(rehearsal, 'order', id), 'deadline')?.text;
    expect(await deadline()).toMatch(/ the OMS cancels the order, unless its payments cover the total first\.$/);
    await rehearsal.authorisation(id, 2088);
    expect(await deadline()).toBeUndefined();
    await rehearsal.advance('P2D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'confirmed' });
  });

  test('A product whose price changed has been active since its creation, as in the initial data', async (rehearsal) => {
    await rehearsal.control('change-product-by-hand', { params: { id: 'mug-blue' }, body: { price: { amount: 999 } } });
    const { createdAt, updatedAt } = await rehearsal.object('product', 'prd_mug-blue');
    const { since, cause } = await explained(rehearsal, 'product', 'prd_mug-blue');
    expect([since, cause?.kind, since === updatedAt]).toEqual([createdAt, 'initial-data', false]);
  });

  test('A disputed payment waits for the bank, and a payment whose dispute is lost has nothing left to refund', async (rehearsal) => {
    const { id } = (await reached['payment']?.['captured']?.(rehearsal)) ?? { id: '' };
    const refusals = async () => {
      const { moves, ...found } = await explained(rehearsal, 'payment', id);
      const refused = moves.filter(({ code }) => code === 'rule' || code === 'other-object').map(({ verb }) => verb);
      for (const verb of ['refund', 'dispute'])
        expect((await askFor('payment', verb)?.(rehearsal, id))?.status).toBeGreaterThanOrEqual(400);
      return { codes: codesOf(found), refused };
    };
    await rehearsal.control('open-dispute', { params: { id }, body: { reason: 'general' } });
    expect(await refusals()).toEqual({
      codes: 'waits-for-bank deadline',
      refused: ['refund', 'dispute'],
    });
    await rehearsal.control('close-dispute', { params: { id }, body: { outcome: 'lost' } });
    expect(await refusals()).toEqual({
      codes: 'waits-for-nothing',
      // Losing it again is a repeat.
      refused: ['refund', 'dispute', 'win-dispute'],
    });
  });

  plainTest.each(scenarios)('Each object of the scenario $name has an explanation with its state and cause', async (scenario) => {
    const access = { gateway: estate.gateway, ...DEMO_CREDENTIALS, report: noReport };
    const all: { readonly state: string | undefined; readonly found: Explained }[] = [];
    const succeeds = await runScenario(scenario, {
      ...access,
      examine: async ({ client }) => {
        for (const type of Object.keys(reached)) {
          // The newest objects: most customers and products are initial data.
          const { items } = await client.control('list-objects', { params: { type }, query: { limit: 10 } });
          for (const { id, state } of items) {
            all.push({ state, found: await client.control('explain-object', { params: { type, id } }) });
          }
        }
      },
    });
    expect(succeeds).toBe(true);
    for (const { state, found } of all) {
      expect(found.state).toBe(state);
      expect([undefined, 'unknown']).not.toContain(found.cause?.kind);
      expect(found.text).not.toMatch(/undefined|\[object|\.\./);
    }
  });

  test('The explanation of a sale names the till, and the explanations of stock and of an account have no life cycle', async (rehearsal) => {
    const body = { storeId: 'store-01', laneId: 'SCO-01', lines: [{ sku: 'mug-blue', qty: 1 }] };
    const sale = await rehearsal.api('create-transaction-api', { body });
    const [{ id: basket = '' } = {}] = (await rehearsal.control('list-objects', { params: { type: 'basket' } })).items;
    const atTill = await explained(rehearsal, 'basket', basket);
    expect(reason(atTill, 'waits-for-customer')?.text).toBe('It waits for the customer to pay 12.99 EUR at the till.');
    expect(reason(atTill, 'deadline')?.refs).toEqual([{ what: 'due', id: `pos|expire-transaction|${sale.id}` }]);
    for (const [type, id] of [
      ['inventory-item', 'mug-blue'],
      ['loyalty-account', 'loy_ada'],
    ] as const) {
      const found = await explained(rehearsal, type, id);
      expect([found.state, found.moves, found.reasons]).toEqual([undefined, [], []]);
      expect(found.head).toMatch(/ has no life cycle\.$/);
    }
  });
});

test('A paid sale that the OMS has not taken waits for the OMS, and cannot be voided', async (rehearsal) => {
  await rehearsal.fault('down', { match: { application: 'oms' }, fault: { kind: 'outage' } });
  const sale = await rehearsal.sale();
  await rehearsal.pay(sale.id, { type: 'cash' }, sale.totals.total.amount);
  const [{ id = '' } = {}] = (await rehearsal.control('list-objects', { params: { type: 'basket' } })).items;
  const found = await explained(rehearsal, 'basket', id);
  expect(reason(found, 'waits-for-estate')?.text).toBe('It waits for the OMS to take the sale, which is paid: the till has queued it.');
  expect(found.moves.find(({ verb }) => verb === 'cancel-checkout')).toMatchObject({ possible: false, code: 'rule' });
  expect((await rehearsal.voidSale(sale.id)).status).toBe(409);
});

test('An authorised payment of a confirmed order waits for Capture Payment of a client if captures are manual', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual', capture: 'manual' });
  await rehearsal.packedOrder();
  const [{ id = '' } = {}] = (await rehearsal.control('list-objects', { params: { type: 'payment' } })).items;
  expect(codesOf(await explained(rehearsal, 'payment', id))).toBe('waits-for-client deadline');
});

test('A captured payment of a cancelled order waits for its refund if refunds are manual', async (rehearsal) => {
  await rehearsal.progress({ refund: 'manual' });
  const { id = '' } = (await reached['payment']?.['captured']?.(rehearsal)) ?? {};
  const { orderId } = await rehearsal.object('payment', id);
  await rehearsal.api('cancel-order-api', { params: { id: orderId }, body: {} });
  await rehearsal.settle();
  expect(codesOf(await explained(rehearsal, 'payment', id))).toBe('waits-for-client');
});

test('A captured payment waits for the refund of a return of its order', async (rehearsal) => {
  await rehearsal.progress({ returns: 'manual', refund: 'manual' });
  const order = await rehearsal.completed();
  const { id: returnId } = await rehearsal.announced(order, 1);
  await rehearsal.moved(returnId, 'approve', 'receive', 'inspect');
  const { items } = await rehearsal.control('list-objects', { params: { type: 'payment' } });
  const found = await explained(rehearsal, 'payment', items[0]?.id ?? '');
  expect(codesOf(found)).toBe('waits-for-client');
  expect(reason(found, 'waits-for-client')).toMatchObject({
    text: expect.stringMatching(
      /^It waits for a client to call Refund Payment: the return over .* must be refunded, and refunds are manual/,
    ),
    refs: [{ what: 'object', type: 'return', id: returnId }],
  });
});

describe('The troubles of an object', () => {
  test('A withheld event is named with its fault, until the fault is deleted', async (rehearsal) => {
    await rehearsal.fault('silence', { match: { event: 'order-confirmed' }, fault: { kind: 'withhold' } });
    const { id } = await rehearsal.authorised();
    const before = await explained(rehearsal, 'order', id);
    expect(reason(before, 'fault-strikes')?.text).toBe('The fault silence (withhold) strikes its event order-confirmed.');
    await rehearsal.confirmed(id);
    const found = await explained(rehearsal, 'order', id);
    expect(found).toMatchObject({ state: 'confirmed', cause: { kind: 'api', name: 'confirm-order-api' } });
    expect(reason(found, 'fault-strikes')).toBeUndefined();
    const { text, refs } = reason(found, 'event-withheld') ?? {};
    expect(text).toBe('The fault silence withholds its event order-confirmed until the fault is deleted.');
    expect(refs).toContainEqual({ what: 'fault', id: 'silence' });
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(codesOf(await explained(rehearsal, 'order', id))).not.toContain('event');
  });

  plainTest('An event that a broken application could not consume is named with its error, until it is redriven', async () => {
    const adapter = createMemoryStore();
    let isBroken = true;
    const store: typeof adapter.store = (application) => {
      const own = adapter.store(application);
      if (application !== 'crm') return own;
      return {
        ...own,
        object: async (...asked) => {
          if (isBroken && asked[1] === notedOrders.name) throw new Problem('internal_error', 'The CRM is broken.');
          return own.object(...asked);
        },
      };
    };
    const configuration = readConfiguration({ GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' });
    const started = await startEstate(configuration, createLogger('silent'), { ...adapter, store });
    try {
      await started.ready;
      await using rehearsal = await rehearsalAt(started.gateway);
      const { id } = await rehearsal.draft({ customerId: 'cus_ada' });
      await rehearsal.authorisation(id);
      await rehearsal.confirm(id);
      const parked = await eventually('the event is parked', async () => reason(await explained(rehearsal, 'order', id), 'event-parked'));
      expect(parked.text).toBe('Its event order-confirmed is parked at the CRM: The CRM is broken. Redrive it with redrive-parked.');
      isBroken = false;
      await rehearsal.control('redrive-parked', { body: {} });
      await rehearsal.settle();
      expect(codesOf(await explained(rehearsal, 'order', id))).toBe('waits-for-object');
    } finally {
      await started.close();
    }
  });

  test.each([
    ['clients', { match: { caller: 'outside' } }, false],
    ['an application', { match: { caller: 'oms' } }, true],
    ['clients, except the first call', { match: { caller: 'outside' }, skip: 1 }, true],
  ])('A fault on the captures of %s decides whether a client may capture', async (rehearsal, _whose, rule, possible) => {
    await rehearsal.progress({ warehouse: 'manual', capture: 'manual' });
    await rehearsal.confirmed();
    const [{ id = '' } = {}] = (await rehearsal.control('list-objects', { params: { type: 'payment' } })).items;
    const match = { api: 'capture-payment-api', ...rule.match };
    await rehearsal.fault('refusing', { ...rule, match, fault: { kind: 'outage' } });
    const { moves } = await explained(rehearsal, 'payment', id);
    expect(moves.find(({ verb }) => verb === 'capture')).toMatchObject({ possible });
  });

  test('Parked due work is named with its error, until it is redriven', async (rehearsal) => {
    const fault = { kind: 'status', status: 500, code: 'internal_error' };
    await rehearsal.fault('broken', { match: { api: 'allocate-inventory-api' }, fault });
    const { id } = await rehearsal.confirmed();
    await rehearsal.advance('P2D');
    const [{ type = '', id: goods = '' } = {}] = (await explained(rehearsal, 'order', id)).waitsFor;
    const found = await explained(rehearsal, type, goods);
    expect(codesOf(found)).toBe('waits-for-estate work-parked fault-strikes');
    const parked = reason(found, 'work-parked');
    expect(parked?.text).toMatch(/^Parked since .*: the FMS allocates the stock\. [^{}]*\. Redrive it with redrive-parked\.$/);
    const key = parked?.refs[0]?.id ?? '';
    await rehearsal.noFaults();
    await rehearsal.control('redrive-parked', { body: { key } });
    await rehearsal.advance('P3D');
    expect(codesOf(await explained(rehearsal, type, goods))).toBe('ended');
  });

  test('An unavailable application is named with the work that waits for it and the fault', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await rehearsal.authorisation(id);
    await rehearsal.down({ api: 'confirm-order-api' });
    const refused = await explained(rehearsal, 'order', id);
    expect(refused.moves.find(({ verb }) => verb === 'confirm')).toMatchObject({
      possible: false,
      code: 'fault',
      why: 'The fault down (outage) strikes Confirm Order.',
      refs: [{ what: 'fault', id: 'down' }],
    });
    expect(reason(refused, 'fault-strikes')?.refs).toContainEqual({ what: 'api', id: 'confirm-order-api' });
    expect((await rehearsal.confirm(id)).status).toBe(503);
    await rehearsal.down({ api: 'allocate-inventory-api' });
    await rehearsal.confirmed(id);
    const [{ type = '', id: goods = '' } = {}] = (await explained(rehearsal, 'order', id)).waitsFor;
    expect(reason(await explained(rehearsal, type, goods), 'work-awaits-application')?.refs).toContainEqual({
      what: 'application',
      id: 'inventory-service',
    });
  });

  test.each(['status', 'lost-response'] as const)(
    'A fault of kind %s that can strike a call of Confirm Order is named, and the verb stays possible',
    async (rehearsal, kind) => {
      const { id } = await rehearsal.authorised();
      const fault = kind === 'status' ? { kind, status: 500, code: 'internal_error' } : { kind };
      await rehearsal.fault('once', { match: { api: 'confirm-reservation-api' }, fault, times: 1 });
      const { moves } = await explained(rehearsal, 'order', id);
      expect(moves.find(({ verb }) => verb === 'confirm')).toMatchObject({
        possible: true,
        code: 'fault',
        why: `The fault once (${kind}) can strike Confirm Reservation.`,
      });
    },
  );

  test('A webhook that a receiver refuses, that a fault withholds, or that is parked is named', async (rehearsal) => {
    await using receiver = await receiveEvents(() => ({ status: 500 }));
    await rehearsal.control('put-webhook', {
      params: { name: 'shop' },
      body: { url: receiver.url, types: ['order-created', 'order-confirmed'] },
    });
    await rehearsal.fault('late', { match: { webhook: 'shop' }, fault: { kind: 'withhold' }, times: 1 });
    const { id } = await rehearsal.confirmed();
    await rehearsal.settle();
    const waiting = await explained(rehearsal, 'order', id);
    expect(codesOf(waiting)).toBe('waits-for-object webhook-waiting webhook-withheld');
    expect(reason(waiting, 'webhook-withheld')?.refs).toContainEqual({ what: 'fault', id: 'late' });
    expect(reason(waiting, 'webhook-waiting')?.at).toBeDefined();
    await rehearsal.advance('P7D');
    expect(codesOf(await explained(rehearsal, 'order', id))).toContain('webhook-parked');
    await rehearsal.control('delete-webhook', { params: { name: 'shop' } });
  });
});

describe('What cannot be explained', () => {
  const refusal = async (rehearsal: TestRehearsal, type: string, id: string) => {
    const { status, body } = await rehearsal.call('explain-object', { params: { type, id } });
    return [status, body.code, body.errors?.[0]?.detail ?? body.detail];
  };

  test('An unknown type or id is refused with the nearest one, and an id of another type or rehearsal with its place', async (rehearsal) => {
    await using other = await newRehearsal();
    const { id } = await other.draft();
    const { id: own } = await rehearsal.basket();
    expect(await refusal(rehearsal, 'ordr', id)).toEqual([
      422,
      'validation_failed',
      'There is no type of object ordr; did you mean order?',
    ]);
    const misspelt = `${own.slice(0, -1)}${own.endsWith('0') ? '1' : '0'}`;
    expect(await refusal(rehearsal, 'basket', misspelt)).toEqual([
      404,
      'not_found',
      `There is no basket "${misspelt}" in this rehearsal. Did you mean ${own}?`,
    ]);
    for (const type of ['any', 'basket']) {
      const [, , detail] = await refusal(rehearsal, type, 'bsk_1');
      expect(detail).toContain(`in this rehearsal. The newest basket is ${own}; a search finds others by any text.`);
    }
    const noReturn = 'There is no return "ret_1" in this rehearsal. It has no return yet.';
    expect((await refusal(rehearsal, 'return', 'ret_1'))[2]).toBe(noReturn);
    expect((await refusal(rehearsal, 'any', 'nothing'))[2]).toContain('A search finds objects by any text.');
    expect(await refusal(rehearsal, 'order', own)).toEqual([
      404,
      'not_found',
      `There is no order "${own}" in this rehearsal. It is of type basket.`,
    ]);
    for (const [type, what] of [
      ['order', 'order'],
      ['any', 'object'],
    ] as const) {
      expect(await refusal(rehearsal, type, id)).toEqual([
        404,
        'not_found',
        `There is no ${what} "${id}" in this rehearsal. The rehearsal ${other.name} has it: name it in X-Rehearsal.`,
      ]);
    }
    expect((await explained(rehearsal, 'any', own)).type).toBe('basket');
  });

  test('An order is found by its number, and a SKU is the name of its product', async (rehearsal) => {
    const { id, orderNumber } = await rehearsal.confirmed();
    for (const type of ['any', 'order']) expect(await explained(rehearsal, type, orderNumber)).toMatchObject({ type: 'order', id });
    expect(await explained(rehearsal, 'any', 'mug-blue')).toMatchObject({ type: 'product', id: 'prd_mug-blue' });
    expect(await explained(rehearsal, 'inventory-item', 'mug-blue')).toMatchObject({ type: 'inventory-item' });
    expect(await explained(rehearsal, 'any', 'loy_ada')).toMatchObject({ type: 'loyalty-account', id: 'loy_ada' });
  });
});

describe('The catalog of explanations', () => {
  plainTest('The catalog has a meaning for each kind of due work of each application, and none for an unknown kind', () => {
    const kinds = registeredApplications.flatMap(({ service }) =>
      Object.keys(service.due).map((kind) => `${service.application} × ${kind}`),
    );
    const listed = Object.entries(dueWork).flatMap(([application, of]) => Object.keys(of).map((kind) => `${application} × ${kind}`));
    const ofGateway = ['deliver-webhook', 'take-events'].map((kind) => `${GATEWAY} × ${kind}`);
    expectKept('shared/catalog/due-work.ts, `dueWork`', listed, [...kinds, ...ofGateway]);
  });

  plainTest.each(Object.entries(verbApis))(
    'The trigger of each verb of a %s that has an API begins with the name of the API',
    (type, verbs) => {
      const rows = objects.find((one) => one.type === type)?.lifeCycle?.rows ?? [];
      for (const [verb, api] of Object.entries(verbs as Readonly<Record<string, keyof typeof apis>>)) {
        const triggers = rows.filter((row) => row.verb === verb && !row.again).map(({ trigger }) => trigger);
        expect(triggers.some((trigger) => trigger.split(/[,;:] ?/).includes(apis[api].name) || trigger.startsWith(apis[api].name))).toBe(
          true,
        );
      }
    },
  );
});
