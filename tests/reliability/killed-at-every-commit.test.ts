import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type CrashingEstate, crashingEstate, prepared } from '../support/crashing-estate.ts';
import { ADDRESS, eventually } from '../support/estate.ts';

/**
 * A process is killed at each of its commits, once before the store hears of it and once after, while a client that insists goes
 * through an order; then while a client that gave up never comes back. Either way nothing is doubled, lost or half done.
 */

/** Estates in which something is tried at the same time; processes that restart and work that is polled are waited for together. */
const LANES = 4;

interface Journey {
  readonly name: string;
  readonly run: (estate: CrashingEstate) => Promise<void>;
}

async function draftOrder(estate: CrashingEstate): Promise<{ basketId: string; orderId: string; paymentId: string }> {
  const basket = await estate.insist('ecommerce-platform', 'POST', '/baskets', {
    channel: 'web',
    customerId: 'cus_ada',
    lines: [{ sku: 'mug-blue', qty: 2 }],
  });
  const basketId = basket.body.id as string;
  const locked = await estate.insist('ecommerce-platform', 'POST', `/baskets/${basketId}/checkout`, {
    shippingAddress: ADDRESS,
    voucherCodes: ['WELCOME10'],
  });
  expect(locked).toMatchObject({ status: 200, body: { state: 'locked' } });
  const order = await estate.insist('oms', 'POST', '/orders', { basketId });
  const orderId = order.body.id as string;
  const payment = await estate.insist('payment-hub', 'POST', '/payments/authorizations', {
    orderId,
    tender: { type: 'card', token: 'tok_visa' },
  });
  expect(payment).toMatchObject({ status: 201, body: { state: 'authorised' } });
  return { basketId, orderId, paymentId: payment.body.id as string };
}

const confirmed: Journey = {
  name: 'an order that is confirmed',
  run: async (estate) => {
    const { orderId, paymentId } = await draftOrder(estate);
    expect(await estate.insist('oms', 'POST', `/orders/${orderId}/confirm`)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    await estate.settle();
    const order = await estate.insist('oms', 'GET', `/orders/${orderId}`);
    expect(order.body).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect(order.body.payments.map(({ id }: { id: string }) => id)).toEqual([paymentId]);
    expect(order.body.pendingAction).toBeUndefined();
  },
};

const cancelled: Journey = {
  name: 'an order that is confirmed and cancelled',
  run: async (estate) => {
    const { orderId } = await draftOrder(estate);
    await estate.insist('oms', 'POST', `/orders/${orderId}/confirm`);
    expect(await estate.insist('oms', 'POST', `/orders/${orderId}/cancel`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    await estate.advance(3 * 60 * 60 * 1_000);
    const order = await estate.insist('oms', 'GET', `/orders/${orderId}`);
    expect(order.body.payments.map(({ state }: { state: string }) => state)).toEqual(['voided']);
    expect(order.body).not.toHaveProperty('compensation');
  },
};

const points: Journey = {
  name: 'an order that is paid with points',
  run: async (estate) => {
    const basket = await estate.insist('ecommerce-platform', 'POST', '/baskets', {
      channel: 'web',
      customerId: 'cus_ada',
      lines: [{ sku: 'mug-blue', qty: 1 }],
    });
    const basketId = basket.body.id as string;
    await estate.insist('ecommerce-platform', 'POST', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
    const read = await estate.insist('oms', 'POST', '/orders', { basketId }, 'again');
    const orderId = read.body.id as string;
    const redeemed = await estate.insist('loyalty-platform', 'POST', '/members/loy_ada/redeem', { points: 300, orderId });
    const tender = { type: 'loyalty', token: redeemed.body.redemption.id };
    await estate.insist(
      'payment-hub',
      'POST',
      '/payments/authorizations',
      { orderId, tender, amount: { amount: 300, currency: 'EUR' } },
      'points',
    );
    await estate.insist(
      'payment-hub',
      'POST',
      '/payments/authorizations',
      { orderId, tender: { type: 'gift-card', token: 'gift_50' } },
      'gift',
    );
    expect(await estate.insist('oms', 'POST', `/orders/${orderId}/confirm`)).toMatchObject({ status: 200 });
    await estate.insist('oms', 'POST', `/orders/${orderId}/cancel`);
    await estate.advance(3 * 60 * 60 * 1_000);
    const account = await estate.insist('loyalty-platform', 'GET', '/members/loy_ada/balance');
    expect(account.body.pointsBalance).toBe(500);
  },
};

async function commitsOf(journey: Journey): Promise<ReadonlyMap<Application, number>> {
  const estate = await crashingEstate();
  try {
    estate.crashAt(undefined);
    await journey.run(estate);
    return new Map(WRITERS.map((application) => [application, estate.commits(application)]));
  } finally {
    await estate.close();
  }
}

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

async function holds(estate: CrashingEstate): Promise<void> {
  const broken = (await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
  expect(broken).toEqual([]);
}

describe.each([confirmed, cancelled, points])('$name', (journey) => {
  test('survives the death of every application at each of its commits', async () => {
    const counted = await commitsOf(journey);
    const crashes = [...counted].flatMap(([application, commits]) =>
      Array.from({ length: commits }, (_, index) => index + 1).flatMap((commit) =>
        (['before', 'after'] as const).map((when) => ({ application, commit, when })),
      ),
    );
    expect(crashes.length).toBeGreaterThan(20);
    await inParallel(LANES, crashes, async (crash) => {
      const estate = await crashingEstate();
      try {
        estate.crashAt(crash);
        await journey.run(estate);
        await estate.settle();
        await holds(estate);
        expect(estate.crashes()).toBe(1);
      } catch (error) {
        throw new Error(
          `${journey.name}, ${crash.application} killed ${crash.when} its commit ${crash.commit}: ${(error as Error).message}`,
        );
      } finally {
        await estate.close();
      }
    });
  }, 170_000);
});

describe('what a killed process held', () => {
  /** The key of the request, and the work that undoes it unless the request goes on. */
  const killedReservation = async (estate: CrashingEstate, request: (items: object) => Promise<unknown>): Promise<number> => {
    estate.crashAt({ application: 'sim', commit: 1, when: 'after' });
    await request({ items: [{ sku: 'lamp-last-one', qty: 1 }] });
    expect(await estate.settle()).toMatchObject({ settled: true });
    expect(estate.crashes()).toBe(1);
    await holds(estate);
    const { body } = await estate.insist('sim', 'GET', '/inventory/items/lamp-last-one');
    return body.locations.reduce((sum: number, { reserved }: { reserved: number }) => sum + reserved, 0);
  };

  test('is taken over by a repeat of the request, once its lease has run out', async () => {
    const estate = await crashingEstate({ leases: 'run out' });
    const reserved = await killedReservation(estate, (body) => estate.insist('sim', 'POST', '/inventory/reservations', body));
    expect(reserved).toBe(1);
    await estate.close();
  });

  test('is taken over by the clock, once its lease has run out', async () => {
    const estate = await crashingEstate({ leases: 'run out' });
    const reserved = await killedReservation(estate, (body) =>
      estate.ask('sim', 'POST', '/inventory/reservations', body, 'once').catch(() => undefined),
    );
    expect(reserved).toBe(0);
    await estate.close();
  });
});

describe('a client that never comes back', () => {
  test('leaves nothing half done, wherever confirmation or cancellation was killed', async () => {
    const crashes = (['oms', 'sim', 'payment-hub', 'promotion-engine', 'inventory-service'] as const).flatMap((application) =>
      [1, 2, 3].flatMap((commit) =>
        (['before', 'after'] as const).flatMap((when) =>
          (['confirm', 'cancel'] as const).map((verb) => ({ application, commit, when, verb })),
        ),
      ),
    );
    const { from, found } = await prepared(draftOrder);
    const { orderId } = found;
    await inParallel(LANES, crashes, async ({ verb, ...crash }) => {
      const estate = await crashingEstate({ from });
      try {
        estate.crashAt(crash);
        await estate.ask('oms', 'POST', `/orders/${orderId}/${verb}`, {}, 'once').catch(() => undefined);
        await estate.advance(2 * 60 * 60 * 1_000);
        estate.crashAt(undefined);
        const order = await eventually('the Payment Hub is asked', async () => {
          const read = await estate.insist('oms', 'GET', `/orders/${orderId}`);
          return read.body.paymentStatus !== 'unknown' && read;
        });
        expect(order.body).not.toHaveProperty('pendingAction');
        expect(order.body).not.toHaveProperty('compensation');
        expect(order.body.state === 'cancelled').toBe(order.body.payments.every(({ state }: { state: string }) => state === 'voided'));
        expect((await estate.ledger()).parked).toEqual([]);
        await holds(estate);
      } catch (error) {
        throw new Error(`${verb}, ${crash.application} killed ${crash.when} its commit ${crash.commit}: ${(error as Error).message}`);
      } finally {
        await estate.close();
      }
    });
  }, 170_000);
});

async function inParallel<T>(lanes: number, items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && failures.length === 0; item = queue.shift()) {
      await each(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.length > 0) throw failures[0];
}
