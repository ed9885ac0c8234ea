import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CrashingEstate, crashingEstate } from '../support/crashing-estate.ts';
import { ADDRESS } from '../support/estate.ts';

const RESERVATIONS = '/inventory/reservations';
/** An upper bound for the commits of any of these requests at one application. */
const MOST_COMMITS = 12;

/** A retrying client gets one effect, and afterwards the books balance. */
describe('An application that dies at any of its commits', () => {
  let estate: CrashingEstate;
  let last = 0;
  beforeAll(async () => {
    estate = await crashingEstate();
  });
  afterAll(() => estate.close());

  const items = [{ sku: 'mug-blue', qty: 1 }];
  const fresh = (name: string): string => `${name}_${++last}`;

  async function reserve(body: object, key = fresh('key')) {
    const reply = await estate.insist('sim', 'POST', RESERVATIONS, body, key);
    expect([reply.status, reply.body.state]).toEqual([201, 'requested']);
    return reply.body.id as string;
  }

  /** Another duration replaces the hold of its basket. */
  const longer = { ttlSeconds: 14_000 };

  async function aBasket(): Promise<string> {
    const basket = { channel: 'web', customerId: 'cus_ada', lines: items };
    return (await estate.insist('ecommerce-platform', 'POST', '/baskets', basket, fresh('basket'))).body.id;
  }

  /** The line of a draft order whose reservation was released. */
  async function aLine() {
    const basketId = await aBasket();
    const checkout = { shippingAddress: ADDRESS };
    const { reservationId } = (await estate.insist('ecommerce-platform', 'POST', `/baskets/${basketId}/checkout`, checkout, fresh('key')))
      .body;
    const { id, lines } = (await estate.insist('oms', 'POST', '/orders', { basketId }, fresh('key'))).body;
    await estate.insist('sim', 'DELETE', `${RESERVATIONS}/${reservationId}`);
    return { orderId: id, orderLineId: lines[0].lineId, sku: 'mug-blue', qty: 1 };
  }

  /** Prepares the state before the crash and returns the request during which it happens. */
  const requests: Record<string, () => Promise<() => Promise<unknown>>> = {
    'Reserve Inventory': async () => () => reserve({ items }),
    'Reserve Inventory that replaces a hold': async () => {
      const basketId = await aBasket();
      const old = await reserve({ basketId });
      return async () => expect(await reserve({ basketId, ...longer })).not.toBe(old);
    },
    'Release Holds': async () => {
      const id = fresh('ord');
      await reserve({ items, orderId: id });
      await reserve({ items, orderId: id });
      return async () => {
        const path = '/internal/reservations/release';
        const { status } = await estate.insist('sim', 'POST', path, { order: { id, state: 'cancelled' } }, fresh('key'));
        expect(status).toBe(200);
        const late = await estate.insist('sim', 'POST', RESERVATIONS, { items, orderId: id }, fresh('key'));
        expect([late.status, late.body.code]).toEqual([409, 'invalid_state_transition']);
      };
    },
    'Confirm Reservation': async () => {
      const id = await reserve({ items });
      return async () => {
        const { body } = await estate.insist('sim', 'POST', `${RESERVATIONS}/${id}/confirm`, {}, fresh('key'));
        expect(body.state).toBe('confirmed');
      };
    },
    'Release Reservation': async () => {
      const id = await reserve({ items });
      return async () => {
        const { body } = await estate.insist('sim', 'DELETE', `${RESERVATIONS}/${id}`, undefined, fresh('key'));
        expect(body.state).toBe('released');
      };
    },
    'Move Reservation, for units that left': async () => {
      const id = await reserve({ items: [{ sku: 'mug-blue', qty: 2 }] });
      await estate.insist('sim', 'POST', `${RESERVATIONS}/${id}/confirm`, {}, fresh('key'));
      return async () => {
        const { allocations } = (await estate.insist('sim', 'GET', `/internal/reservations/${id}`)).body;
        const movement = { kind: 'consume', locationId: allocations[0].locationId, lines: items };
        for (const reference of ['one', 'other']) {
          const path = `/internal/reservations/${id}/movements`;
          const { status, body } = await estate.insist('sim', 'POST', path, { reference, ...movement }, fresh('key'));
          expect([status, body.state]).toEqual([200, reference === 'one' ? 'confirmed' : 'fulfilled']);
        }
      };
    },
    'Allocate Inventory': async () => {
      const line = await aLine();
      return async () => {
        const { status, body } = await estate.insist('inventory-service', 'POST', '/inventory/allocate', line, fresh('key'));
        expect([status < 300, body.state]).toEqual([true, 'confirmed']);
      };
    },
  };

  async function balanced(): Promise<void> {
    expect(await estate.settle()).toMatchObject({ settled: true });
    const broken = (await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
    expect(broken).toEqual([]);
    expect((await estate.ledger()).parked).toEqual([]);
  }

  const cases = Object.keys(requests)
    .flatMap((request) =>
      (['sim', 'inventory-service'] as const).flatMap((application) =>
        (['before', 'after'] as const).map((when) => [request, application, when] as const),
      ),
    )
    // A confirmation makes no call there.
    .filter(([request, application]) => !(request === 'Confirm Reservation' && application === 'inventory-service'));

  test.each(cases)('leaves one effect of %s (the %s, %s the commit)', async (request, application, when) => {
    for (let commit = 1; ; commit++) {
      expect(commit).toBeLessThan(MOST_COMMITS);
      const run = await requests[request]?.();
      const before = estate.crashes();
      estate.crashAt({ application, commit, when });
      await run?.();
      estate.crashAt(undefined);
      await estate.advance(10_000);
      await balanced();
      if (estate.crashes() > before) continue;
      expect(commit).toBeGreaterThan(1);
      break;
    }
  });

  test.each([
    [1, 'after', 'before it took the stock'],
    [2, 'before', 'after it took the stock'],
  ] as const)('undoes a Reserve Inventory that dies at commit %d (%s, %s) and is not repeated', async (commit, when, _) => {
    const basketId = await aBasket();
    const basketOfAHold = await aBasket();
    const hold = await reserve({ basketId: basketOfAHold });
    for (const body of [{ items }, { basketId }, { basketId: basketOfAHold }]) {
      estate.crashAt({ application: 'sim', commit, when });
      await expect(estate.ask('sim', 'POST', RESERVATIONS, { ...body, ...longer }, fresh('abandoned'))).rejects.toThrow();
      estate.crashAt(undefined);
      await balanced();
    }
    const { body } = await estate.insist('sim', 'DELETE', `${RESERVATIONS}/${hold}`);
    expect(body.state).toBe('released');
    await balanced();
  });
});
