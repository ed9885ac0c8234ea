import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type CrashingEstate, crashingEstate } from '../support/crashing-estate.ts';
import { ADDRESS } from '../support/estate.ts';

const RESERVATIONS = '/inventory/reservations';
/** An upper bound for the commits of any of these requests at one application. */
const MOST_COMMITS = 12;

/** Requests whose crashes `killed-at-every-commit` does not play: a retrying client gets one effect, and the books balance. */
describe('Stock requests of an application that dies at any of its commits', () => {
  let estate: CrashingEstate;
  let last = 0;
  beforeAll(async () => {
    estate = await crashingEstate();
  });
  afterAll(() => estate.close());

  const items = [{ sku: 'mug-blue', qty: 1 }];
  const fresh = (name: string): string => `${name}_${++last}`;
  const send = (application: Application, method: string, path: string, body?: unknown) =>
    estate.insist(application, method, path, body, fresh('key'));

  async function reserve(body: object): Promise<string> {
    const reply = await send('sim', 'POST', RESERVATIONS, body);
    expect([reply.status, reply.body.state]).toEqual([201, 'requested']);
    return reply.body.id;
  }

  /** Another duration replaces the reservation of its basket. */
  const longer = { ttlSeconds: 14_000 };

  const aBasket = async (): Promise<string> =>
    (await send('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: items })).body.id;

  /** Prepares the state before the crash and returns the request during which it happens. */
  const requests: Record<string, () => Promise<() => Promise<unknown>>> = {
    'Reserve Inventory that replaces a reservation': async () => {
      const basketId = await aBasket();
      const old = await reserve({ basketId });
      return async () => expect(await reserve({ basketId, ...longer })).not.toBe(old);
    },
    'Release Holds': async () => {
      const id = fresh('ord');
      for (const _of of [1, 2]) await reserve({ items, orderId: id });
      return async () => {
        const released = await send('sim', 'POST', '/internal/reservations/release', { order: { id, state: 'cancelled' } });
        expect(released.status).toBe(200);
        const late = await send('sim', 'POST', RESERVATIONS, { items, orderId: id });
        expect([late.status, late.body.code]).toEqual([409, 'invalid_state_transition']);
      };
    },
    'Release Reservation': async () => {
      const id = await reserve({ items });
      return async () => expect((await send('sim', 'DELETE', `${RESERVATIONS}/${id}`)).body.state).toBe('released');
    },
    'Move Reservation, for units that left': async () => {
      const id = await reserve({ items: [{ sku: 'mug-blue', qty: 2 }] });
      await send('sim', 'POST', `${RESERVATIONS}/${id}/confirm`, {});
      return async () => {
        const { allocations } = (await estate.insist('sim', 'GET', `/internal/reservations/${id}`)).body;
        const movement = { kind: 'consume', locationId: allocations[0].locationId, lines: items };
        for (const [reference, state] of Object.entries({ one: 'confirmed', other: 'fulfilled' })) {
          const { status, body } = await send('sim', 'POST', `/internal/reservations/${id}/movements`, { reference, ...movement });
          expect([status, body.state]).toEqual([200, state]);
        }
      };
    },
    'Allocate Inventory': async () => {
      const basketId = await aBasket();
      const checkout = { shippingAddress: ADDRESS };
      const { reservationId } = (await send('ecommerce-platform', 'POST', `/baskets/${basketId}/checkout`, checkout)).body;
      const { id: orderId, lines } = (await send('oms', 'POST', '/orders', { basketId })).body;
      await send('sim', 'DELETE', `${RESERVATIONS}/${reservationId}`);
      const line = { orderId, orderLineId: lines[0].lineId, ...items[0] };
      return async () => {
        const { status, body } = await send('inventory-service', 'POST', '/inventory/allocate', line);
        expect([status < 300, body.state]).toEqual([true, 'confirmed']);
      };
    },
  };

  async function balanced(): Promise<void> {
    expect(await estate.settle()).toMatchObject({ settled: true });
    expect((await estate.verify()).flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`))).toEqual([]);
    expect((await estate.ledger()).parked).toEqual([]);
  }

  const cases = Object.keys(requests).flatMap((request) =>
    (['sim', 'inventory-service'] as const).flatMap((application) =>
      (['before', 'after'] as const).map((when) => [request, application, when] as const),
    ),
  );

  test.each(cases)('%s has one effect even if the %s dies %s any of its commits', async (request, application, when) => {
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
    ['before it took the stock', 1, 'after'],
    ['after it took the stock', 2, 'before'],
  ] as const)('a Reserve Inventory that dies %s and is not repeated is undone', async (_where, commit, when) => {
    const basketId = await aBasket();
    const reservedBasketId = await aBasket();
    const id = await reserve({ basketId: reservedBasketId });
    for (const body of [{ items }, { basketId }, { basketId: reservedBasketId }]) {
      estate.crashAt({ application: 'sim', commit, when });
      await expect(estate.ask('sim', 'POST', RESERVATIONS, { ...body, ...longer }, fresh('abandoned'))).rejects.toThrow();
      estate.crashAt(undefined);
      await balanced();
    }
    expect((await send('sim', 'DELETE', `${RESERVATIONS}/${id}`)).body.state).toBe('released');
    await balanced();
  });
});
