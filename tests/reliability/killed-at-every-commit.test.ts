import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type CrashingEstate, crashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step } from '../support/each-crash.ts';
import { ADDRESS, eventually } from '../support/estate.ts';

/**
 * A process is killed at each of its commits, once before the store hears of it and once after. First a client that retries
 * completes an order; then a client gives up without a retry. In both cases nothing is doubled, lost or half done.
 */

/** The known ids of an order in progress. */
interface Known {
  readonly basketId?: string | undefined;
  readonly orderId?: string;
  readonly paymentId?: string;
}

const HOUR = 60 * 60_000;

async function fillBasket(estate: CrashingEstate, lines: readonly object[]): Promise<Known> {
  const basket = await estate.insist('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
  return { basketId: basket.body.id };
}

const drafting: readonly Step<Known>[] = [
  (estate) => fillBasket(estate, [{ sku: 'mug-blue', qty: 2 }]),
  async (estate, known) => {
    const locked = await estate.insist('ecommerce-platform', 'POST', `/baskets/${known.basketId}/checkout`, {
      shippingAddress: ADDRESS,
      voucherCodes: ['WELCOME10'],
    });
    expect(locked).toMatchObject({ status: 200, body: { state: 'locked' } });
    return known;
  },
  async (estate, { basketId }) => {
    const order = await estate.insist('oms', 'POST', '/orders', { basketId });
    return { basketId, orderId: order.body.id };
  },
  async (estate, known) => {
    const payment = await estate.insist('payment-hub', 'POST', '/payments/authorizations', {
      orderId: known.orderId,
      tender: { type: 'card', token: 'tok_visa' },
    });
    expect(payment).toMatchObject({ status: 201, body: { state: 'authorised' } });
    return { ...known, paymentId: payment.body.id };
  },
];

async function draftOrder(estate: CrashingEstate): Promise<Known> {
  let known: Known = {};
  for (const step of drafting) known = await step(estate, known);
  return known;
}

async function confirm(estate: CrashingEstate, known: Known): Promise<Known> {
  const reply = await estate.insist('oms', 'POST', `/orders/${known.orderId}/confirm`);
  expect(reply).toMatchObject({ status: 200, body: { state: 'confirmed' } });
  return known;
}

/** While work of the confirmation is still running. */
async function confirmAndCancel(estate: CrashingEstate, known: Known): Promise<Known> {
  await confirm(estate, known);
  const reply = await estate.insist('oms', 'POST', `/orders/${known.orderId}/cancel`);
  expect(reply).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  return known;
}

const letPass =
  (ms: number): Step<Known> =>
  async (estate, known) => {
    await estate.advance(ms);
    return known;
  };

/** The order with its payments: an answer leaves them out when the Payment Hub took too long. */
const orderWithPayments = (estate: CrashingEstate, orderId: string | undefined) =>
  eventually('the order is shown with its payments', async () => {
    const { body } = await estate.insist('oms', 'GET', `/orders/${orderId}`);
    return body.paymentStatus !== 'unknown' && body;
  });

const WRITERS: readonly Application[] = [
  'ecommerce-platform',
  'oms',
  'payment-hub',
  'sim',
  'inventory-service',
  'promotion-engine',
  'loyalty-platform',
  'crm',
];

type Told = Pick<Journey<Known>, 'steps' | 'end' | 'killed'>;

const confirmed: Told = {
  killed: WRITERS,
  steps: [...drafting, confirm],
  end: async (estate, { orderId, paymentId }) => {
    await estate.settle();
    const order = await orderWithPayments(estate, orderId);
    expect(order).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect(order.payments.map(({ id }: { id: string }) => id)).toEqual([paymentId]);
    expect(order.pendingAction).toBeUndefined();
  },
};

const cancelled: Told = {
  killed: WRITERS,
  steps: [...drafting, confirmAndCancel, letPass(3 * HOUR)],
  end: async (estate, { orderId }) => {
    const order = await orderWithPayments(estate, orderId);
    expect(order.payments.map(({ state }: { state: string }) => state)).toEqual(['voided']);
    expect(order).not.toHaveProperty('compensation');
  },
};

const points: Told = {
  // Without a voucher the Promotion Engine stores nothing.
  killed: WRITERS.filter((application) => application !== 'promotion-engine'),
  steps: [
    (estate) => fillBasket(estate, [{ sku: 'mug-blue', qty: 1 }]),
    async (estate, { basketId }) => {
      await estate.insist('ecommerce-platform', 'POST', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
      const read = await estate.insist('oms', 'POST', '/orders', { basketId }, 'again');
      return { basketId, orderId: read.body.id };
    },
    async (estate, known) => {
      const { orderId } = known;
      const redeemed = await estate.insist('loyalty-platform', 'POST', '/members/loy_ada/redeem', { points: 300, orderId });
      const tender = { type: 'loyalty', token: redeemed.body.redemption.id };
      const body = { orderId, tender, amount: { amount: 300, currency: 'EUR' } };
      await estate.insist('payment-hub', 'POST', '/payments/authorizations', body, 'points');
      return known;
    },
    // Not a step of its own: in a world that begins with its payment, the invariant of money would count it again.
    async (estate, known) => {
      const body = { orderId: known.orderId, tender: { type: 'gift-card', token: 'gift_50' } };
      await estate.insist('payment-hub', 'POST', '/payments/authorizations', body, 'gift');
      return confirmAndCancel(estate, known);
    },
    letPass(3 * HOUR),
  ],
  end: async (estate) => {
    const account = await estate.insist('loyalty-platform', 'GET', '/members/loy_ada/balance');
    expect(account.body.pointsBalance).toBe(500);
  },
};

describe.each([
  ['an order that is confirmed', confirmed],
  ['an order that is confirmed and cancelled', cancelled],
  ['an order that is paid with points', points],
] as const)('%s', (_name, told) => {
  test('is completed although every application dies at each of its commits', async () => {
    expect(await eachCrash({ begin: async () => ({}), ...told })).toBeGreaterThan(20);
  }, 170_000);
});

async function holds(estate: CrashingEstate): Promise<void> {
  const broken = (await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
  expect(broken).toEqual([]);
}

describe('A reservation whose process was killed', () => {
  /** Units reserved after the process of a reservation request was killed. Due work undoes the request unless it is repeated. */
  const killedReservation = async (estate: CrashingEstate, request: (items: object) => Promise<unknown>): Promise<number> => {
    estate.crashAt({ application: 'sim', commit: 1, when: 'after' });
    await request({ items: [{ sku: 'lamp-last-one', qty: 1 }] });
    expect(await estate.settle()).toMatchObject({ settled: true });
    expect(estate.crashes()).toBe(1);
    await holds(estate);
    const { body } = await estate.insist('sim', 'GET', '/inventory/items/lamp-last-one');
    return body.locations.reduce((sum: number, { reserved }: { reserved: number }) => sum + reserved, 0);
  };

  test('is completed by a repeat of the request after its lease has expired', async () => {
    const estate = await crashingEstate({ leases: 'run out' });
    const reserved = await killedReservation(estate, (body) => estate.insist('sim', 'POST', '/inventory/reservations', body));
    expect(reserved).toBe(1);
    await estate.close();
  });

  test('is undone by due work after its lease has expired', async () => {
    const estate = await crashingEstate({ leases: 'run out' });
    const reserved = await killedReservation(estate, (body) =>
      estate.ask('sim', 'POST', '/inventory/reservations', body, 'once').catch(() => undefined),
    );
    expect(reserved).toBe(0);
    await estate.close();
  });
});

describe('A client that does not retry', () => {
  test.each([
    ['confirm', ['oms', 'sim', 'payment-hub', 'promotion-engine', 'inventory-service']],
    ['cancel', ['oms', 'sim', 'payment-hub', 'promotion-engine', 'inventory-service']],
  ] as const)(
    'leaves nothing half done when a process is killed at any commit of its request to %s an order',
    async (verb, killed) => {
      await eachCrash({
        begin: draftOrder,
        steps: [
          async (estate, known) => {
            await estate.ask('oms', 'POST', `/orders/${known.orderId}/${verb}`, {}, 'once').catch(() => undefined);
            return known;
          },
          letPass(2 * HOUR),
        ],
        killed,
        end: async (estate, { orderId }) => {
          const order = await eventually('the Payment Hub is asked', async () => {
            const read = await estate.insist('oms', 'GET', `/orders/${orderId}`);
            return read.body.paymentStatus !== 'unknown' && read;
          });
          expect(order.body).not.toHaveProperty('pendingAction');
          expect(order.body).not.toHaveProperty('compensation');
          expect(order.body.state === 'cancelled').toBe(order.body.payments.every(({ state }: { state: string }) => state === 'voided'));
        },
      });
    },
    170_000,
  );
});
