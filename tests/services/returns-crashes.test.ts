import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { comeToRest, eachCrash, type OneRequest, requested } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * Returns while a process is killed at one of its commits, before the store hears of it and after: with a client that
 * retries, and with one that sends its request a single time. Each unit comes back once, each cent is refunded once, and nothing
 * stays half done.
 */
const DAY = 24 * 60 * 60_000;
/** A mug, in cents. */
const MUG = 1_299;

interface Request extends OneRequest {
  readonly orderId: string;
  /** Expected results when the client retried; `refunded` in cents over all payments of the order. */
  readonly done: (order: { state: string; returns: { state: string }[] }, refunded: number) => void;
}

interface Sold {
  readonly id: string;
  readonly lines: readonly { readonly lineId: string; readonly qty: number }[];
}

/** Units of a green mug available at the first store. */
const LEFT_OF_GREEN = 19;

const returnStates = ({ returns }: { returns: { state: string }[] }): string[] => returns.map(({ state }) => state);

/** Steps of a return, in an estate with crashes. */
function returning(estate: CrashingEstate) {
  const { ok } = estate;

  /** Two mugs that a customer carried out of a store, paid by two cards. */
  async function sold(lines = [{ sku: 'mug-blue', qty: 2 }]): Promise<Sold> {
    const { id, totals } = await ok('pos', 'POST', '/transactions', { storeId: 'store-01', laneId: 'lane-1', lines });
    for (const amount of [1_000, totals.total.amount - 1_000]) {
      const tender = { type: 'card', token: 'tok_visa' };
      await ok('pos', 'POST', `/transactions/${id}/payment`, { tender, amount: { amount, currency: 'EUR' } });
    }
    await estate.settle();
    const order = await ok('oms', 'GET', `/orders/${id}`);
    return { id, lines: order.lines };
  }

  const asked = ({ id, lines }: Sold, resolution: string) => ({
    ...{ orderId: id, lines: lines.map(({ lineId, qty }) => ({ orderLineId: lineId, qty, reason: 'too small' })), resolution },
  });

  async function returned(verbs: readonly string[], { lines = [{ sku: 'mug-blue', qty: 2 }], resolution = 'refund' } = {}) {
    const order = await sold(lines);
    const { id } = await ok('fms', 'POST', '/returns', asked(order, resolution));
    for (const verb of verbs) await ok('fms', 'POST', `/internal/returns/${id}/moves`, { verb });
    return { orderId: order.id, id };
  }

  async function basket(): Promise<string> {
    const { id } = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
    await ok('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
    return id;
  }

  async function exchange() {
    const { orderId, id } = await returned(['approve', 'receive', 'inspect'], { resolution: 'exchange' });
    const draft = await ok('oms', 'POST', '/orders', { basketId: await basket(), exchangeForReturnId: id });
    return { orderId, id, draft };
  }

  const requests: Record<string, () => Promise<Request>> = {
    'Create Return': async () => {
      const order = await sold();
      const done: Request['done'] = (after) => expect(returnStates(after)).toEqual(['requested']);
      return { application: 'fms', method: 'POST', path: '/returns', body: asked(order, 'refund'), orderId: order.id, done };
    },
    'an inspection': async () => {
      const { orderId, id } = await returned(['approve', 'receive']);
      const done: Request['done'] = (after, refunded) => {
        expect([returnStates(after), after.state, refunded]).toEqual([['refunded'], 'completed', 2 * MUG]);
      };
      return { application: 'fms', method: 'POST', path: `/internal/returns/${id}/moves`, body: { verb: 'inspect' }, orderId, done };
    },
    'a rejection': async () => {
      const { orderId, id } = await returned(['approve', 'receive', 'inspect'], { resolution: 'exchange' });
      const done: Request['done'] = (after, refunded) => {
        expect([returnStates(after), after.state, refunded]).toEqual([['rejected'], 'completed', 0]);
      };
      return { application: 'fms', method: 'POST', path: `/internal/returns/${id}/moves`, body: { verb: 'reject' }, orderId, done };
    },
    'a rejection of units of which some were sold meanwhile': async () => {
      const lines = [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'mug-green', qty: 1 },
      ];
      const { orderId, id } = await returned(['approve', 'receive', 'inspect'], { lines, resolution: 'exchange' });
      const items = [{ sku: 'mug-green', qty: LEFT_OF_GREEN }];
      await ok('sim', 'POST', '/inventory/reservations', { items, locationId: 'store-01', ttlSeconds: 14_400 });
      const done: Request['done'] = (after, refunded) => expect([returnStates(after), refunded]).toEqual([['inspected'], 0]);
      return { application: 'fms', method: 'POST', path: `/internal/returns/${id}/moves`, body: { verb: 'reject' }, orderId, done };
    },
    'Create Order for a return': async () => {
      const { orderId, id } = await returned(['approve', 'receive', 'inspect'], { resolution: 'exchange' });
      const body = { basketId: await basket(), exchangeForReturnId: id };
      const done: Request['done'] = (after, refunded) => expect([returnStates(after), refunded]).toEqual([['inspected'], 0]);
      return { application: 'oms', method: 'POST', path: '/orders', body, orderId, done };
    },
    'Confirm Order of an exchange': async () => {
      const { orderId, draft } = await exchange();
      const done: Request['done'] = (after, refunded) => {
        expect([returnStates(after), after.state, refunded]).toEqual([['exchanged'], 'completed', 2 * MUG - draft.totals.total.amount]);
      };
      return { application: 'oms', method: 'POST', path: `/orders/${draft.id}/confirm`, body: {}, orderId, done };
    },
    'Cancel Order of an exchange': async () => {
      const { orderId, draft } = await exchange();
      await ok('oms', 'POST', `/orders/${draft.id}/confirm`);
      await estate.settle();
      const done: Request['done'] = (after, refunded) => expect([returnStates(after), refunded]).toEqual([['exchanged'], 2 * MUG]);
      return { application: 'oms', method: 'POST', path: `/orders/${draft.id}/cancel`, body: {}, orderId, done };
    },
  };

  async function prepare(name: string): Promise<Request> {
    const request = await requests[name]?.();
    if (!request) throw new Error(`${name} is a request.`);
    return request;
  }

  /** Checks the end, after the retries of the client or without them. */
  async function ends({ orderId, done }: Request, insists: boolean): Promise<void> {
    await comeToRest(estate);
    const after = await ok('oms', 'GET', `/orders/${orderId}`);
    const refunded = after.payments.reduce(
      (sum: number, one: { refundedAmount: { amount: number } }) => sum + one.refundedAmount.amount,
      0,
    );
    if (insists) done(after, refunded);
    // Open work completes without a client.
    for (let week = 0; week < 2; week++) await estate.advance(7 * DAY);
    await comeToRest(estate);
  }

  return { prepare, ends };
}

describe.each([
  ['is repeated', true],
  ['is not repeated', false],
])('A return whose process is killed at any commit and whose request %s', (_how, insists) => {
  test.each<[string, readonly Application[]]>([
    ['Create Return', ['fms', 'oms']],
    ['an inspection', ['fms', 'oms', 'payment-hub', 'inventory-service']],
    ['a rejection', ['fms', 'oms', 'inventory-service']],
    ['a rejection of units of which some were sold meanwhile', ['fms', 'inventory-service']],
    ['Create Order for a return', ['oms', 'payment-hub']],
    ['Confirm Order of an exchange', ['oms', 'fms', 'payment-hub']],
    ['Cancel Order of an exchange', ['oms', 'payment-hub']],
  ])(
    '%s: units and cents move once',
    async (name, killed) => {
      await eachCrash<Request>({
        begin: (estate) => returning(estate).prepare(name),
        steps: [requested(insists)],
        killed,
        end: (estate, request) => returning(estate).ends(request, insists),
      });
    },
    180_000,
  );
});
