import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runScenario } from '../../../rehearsal/runner.ts';
import { scenarios } from '../../../rehearsal/scenarios.ts';
import type { ControlOutput } from '../../../shared/catalog/control/define-operation.ts';
import type { advanceClock } from '../../../shared/catalog/control/operations/clock.ts';
import { ADDRESS, ADMIN } from '../../support/estate.ts';
import { eventually } from '../../support/eventually.ts';
import type { PlainClient } from '../../support/plain-client.ts';
import { toldReport } from '../../support/told-report.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../redis-server.ts';
import { skipWithoutRedis } from '../without-redis.ts';
import { clientOf, type Replicas, startReplicas } from './running-replicas.ts';

const PROCESSES = 3;
/** One of each kind; all of them run in the estate of one process. */
const REHEARSED = ['delivered-order', 'webhook-storm', 'split-tender', 'return-refunded', 'events-disordered', 'unknown-outcome'];
const rehearsed = scenarios.filter(({ name }) => REHEARSED.includes(name));
const MUG = { sku: 'mug-blue', qty: 1 };
const newName = (): string => `replicas-${randomBytes(5).toString('hex')}`;
const times = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));

if (whyNoRedis) {
  skipWithoutRedis('an estate of which there is everything three times');
} else {
  describe('An estate with three replicas of every service', () => {
    let server: RedisServer;
    let estate: Replicas;

    beforeAll(async () => {
      server = await startRedis();
      estate = await startReplicas({ redis: server.url, processes: PROCESSES });
    });
    afterAll(async () => {
      await estate.close();
      await server.stop();
    });

    /** A rehearsal of its own, a client of each gateway, and one of all of them in turn. */
    async function aRehearsal() {
      const name = newName();
      const any = clientOf(estate.gateway, name);
      await any.control('create-rehearsal', { body: { name } });
      const each = estate.replicas.map(({ door }) => clientOf(door.url, name)) as [PlainClient, PlainClient, PlainClient];
      const view = async () => {
        const found = await estate.replicas[0]?.adapter.worlds.resolve(name);
        if (!found) throw new Error(`There is no rehearsal ${name}.`);
        return found;
      };
      const verified = async (): Promise<void> => {
        const { settled, waitingFor, invariants } = await any.control('verify');
        expect([settled, waitingFor, invariants.flatMap(({ violations }) => violations)]).toEqual([true, [], []]);
      };
      return {
        name,
        any,
        each,
        view,
        verified,
        async [Symbol.asyncDispose](): Promise<void> {
          await Promise.all([any, ...each].map((client) => client.close()));
        },
      };
    }
    const ok = async (client: PlainClient, method: string, path: string, body?: unknown) => {
      const reply = await client.call(method, path, body);
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    };
    const aBasket = (client: PlainClient) => ok(client, 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [MUG] });
    async function anOrder(client: PlainClient): Promise<string> {
      const { id } = await aBasket(client);
      await ok(client, 'POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
      const { id: orderId } = await ok(client, 'POST', '/orders', { basketId: id });
      await ok(client, 'POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
      await ok(client, 'POST', `/orders/${orderId}/confirm`);
      return orderId;
    }
    const listed = async (client: PlainClient, ext: 'true' | 'false' = 'true') =>
      (await client.control('list-events', { query: { ext, limit: 1_000 } })).items;

    test('sells fifty units to fifty of two hundred buyers, and promises no unit twice', async () => {
      await using rehearsal = await aRehearsal();
      await rehearsal.any.control('count-stock-by-hand', { params: { sku: 'vase-sold-out', locationId: 'dc-01' }, body: { onHand: 50 } });
      const items = [{ sku: 'vase-sold-out', qty: 1 }];
      const buy = async (n: number): Promise<number> => {
        for (;;) {
          const headers = { 'idempotency-key': `buyer-${n}` };
          const { status, body } = await rehearsal.any.call('POST', '/inventory/reservations', { items }, { headers });
          if (body.retryable !== true) return status;
        }
      };
      const statuses = await Promise.all(times(200, buy));
      expect([201, 409].map((status) => statuses.filter((one) => one === status).length)).toEqual([50, 150]);
      const { locations } = await ok(rehearsal.any, 'GET', '/inventory/items/vase-sold-out');
      expect(locations).toContainEqual(expect.objectContaining({ locationId: 'dc-01', onHand: 50, reserved: 50, atp: 0 }));
      await rehearsal.verified();
    });

    test('that count one SKU at the same time count what is there, each location for itself', async () => {
      await using rehearsal = await aRehearsal();
      for (let round = 0; round < 5; round++) {
        const onHand = round % 2 === 0 ? 100 : 30;
        const count = (n: number) => {
          const locationId = ['dc-01', 'store-01', 'store-02'][n % 3] as string;
          return rehearsal.any.control('count-stock-by-hand', { params: { sku: 'pen-brass', locationId }, body: { onHand } });
        };
        await Promise.all(times(15, count));
        const { locations } = await ok(rehearsal.any, 'GET', '/inventory/items/pen-brass');
        for (const locationId of ['dc-01', 'store-01', 'store-02']) {
          expect(locations).toContainEqual(expect.objectContaining({ locationId, onHand }));
        }
      }
      await rehearsal.verified();
    });

    test('that allocate one line at the same time: one did it, the others find it done', async () => {
      await using rehearsal = await aRehearsal();
      for (let order = 0; order < 5; order++) {
        const basket = await ok(rehearsal.any, 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [MUG] });
        const { reservationId } = await ok(rehearsal.any, 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
        const { id, lines } = await ok(rehearsal.any, 'POST', '/orders', { basketId: basket.id });
        await ok(rehearsal.any, 'DELETE', `/inventory/reservations/${reservationId}`);
        const body = { orderId: id, orderLineId: lines[0].lineId, ...MUG };
        const replies = await Promise.all(times(10, () => rehearsal.any.call('POST', '/inventory/allocate', body)));
        expect(replies.map(({ status }) => status).toSorted()).toEqual([...times(9, () => 200), 201]);
      }
      await rehearsal.verified();
    });

    test('that put twenty units into one basket at the same time put twenty', async () => {
      await using rehearsal = await aRehearsal();
      const { id } = await ok(rehearsal.any, 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada' });
      const baskets = await Promise.all(times(20, () => ok(rehearsal.any, 'POST', `/baskets/${id}/lines`, MUG)));
      const units = baskets.map(({ lines }) => lines[0].qty);
      expect(units.toSorted((one, other) => one - other)).toEqual(times(20, (n) => n + 1));
    });

    test('that note twenty interactions of one customer at the same time note all', async () => {
      await using rehearsal = await aRehearsal();
      const note = (n: number) => rehearsal.any.call('POST', '/interactions', { customerId: 'cus_ada', type: 'visit', note: `n${n}` });
      const replies = await Promise.all(times(20, note));
      expect(replies.map(({ status }) => status)).toEqual(times(20, () => 201));
    });

    test('gives fifty concurrent requests with one key one effect, and refuses another body', async () => {
      await using rehearsal = await aRehearsal();
      const { id } = await aBasket(rehearsal.any);
      await ok(rehearsal.any, 'POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
      const { id: orderId } = await ok(rehearsal.any, 'POST', '/orders', { basketId: id });
      const pay = (token: string) =>
        rehearsal.any.call(
          'POST',
          '/payments/authorizations',
          { orderId, tender: { type: 'card', token } },
          { headers: { 'idempotency-key': 'k' } },
        );
      const replies = await Promise.all(times(50, () => pay('tok_visa')));
      const answered = replies.filter(({ status }) => status === 201);
      expect(new Set(answered.map(({ body }) => body.id)).size).toBe(1);
      expect(new Set(replies.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
        new Set(['idempotency_in_progress']),
      );
      expect(await pay('tok_mastercard')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      await rehearsal.verified();
      const authorised = (await listed(rehearsal.any)).filter(({ event }) => String(event['type']).endsWith('payment-authorized'));
      expect(authorised).toHaveLength(1);
    });

    describe('Rehearsals', () => {
      test('that two gateways create concurrently are created by one, and reported as existing by the other', async () => {
        for (const name of times(5, newName)) {
          const create = (n: number) => estate.replicas[n]?.client.call('POST', '/_control/rehearsals', { name }, { as: 'admin' });
          const replies = await Promise.all([create(0), create(1), create(2)]);
          expect(replies.map((reply) => reply?.status).toSorted()).toEqual([201, 409, 409]);
          const created = replies.find((reply) => reply?.status === 201)?.body;
          const { items } = await clientOf(estate.gateway, name).control('list-rehearsals');
          expect(items.filter((item) => item.name === name)).toMatchObject([{ world: created.world }]);
          const bound = await clientOf(estate.gateway).call('GET', '/customers/cus_ada', undefined, {
            headers: { authorization: `Bearer ${created.credentials.bearer}`, 'x-rehearsal': name },
          });
          expect(bound.status).toBe(200);
        }
      });

      test('that all gateways use concurrently for the first time have one world', async () => {
        const name = newName();
        const any = clientOf(estate.gateway, name);
        const made = await Promise.all(times(12, () => aBasket(any)));
        for (const { id } of made) {
          expect(await any.control('read-object', { params: { type: 'basket', id } })).toMatchObject({ id });
        }
        expect(new Set(made.map(({ id }) => id)).size).toBe(12);
        await any.close();
      });

      test('that two gateways reset concurrently have one fresh world at all of them', async () => {
        await using rehearsal = await aRehearsal();
        const { id } = await aBasket(rehearsal.any);
        const [first, second] = await Promise.all(rehearsal.each.slice(0, 2).map((client) => client.control('reset-rehearsal')));
        const { world } = await rehearsal.view();
        expect([first?.world, second?.world]).toContain(world);
        expect((await rehearsal.any.call('GET', `/_control/objects/basket/${id}`, undefined, { as: 'admin' })).status).toBe(404);
        const seen = await Promise.all(rehearsal.each.map((client) => client.control('list-rehearsals')));
        for (const { items } of seen) expect(items.find(({ name }) => name === rehearsal.name)?.world).toBe(world);
      });
    });

    test('lists each event once and in the same order at every gateway, with versions without a gap', async () => {
      await using rehearsal = await aRehearsal();
      await Promise.all(times(12, () => anOrder(rehearsal.any)));
      await rehearsal.any.control('advance-clock', { body: { by: 'P3D', timeoutMs: 60_000 } });
      await rehearsal.verified();
      const [one, ...others] = await Promise.all(rehearsal.each.map((client) => listed(client)));
      expect(one?.length).toBeGreaterThan(100);
      for (const other of others) expect(other).toEqual(one);
      expect(one?.map(({ order }) => order)).toEqual(times(one?.length ?? 0, (n) => n + 1));
      const ids = one?.map(({ event }) => event['id']) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
      const sent = estate.bus.published.filter((id) => ids.includes(id));
      expect(sent.toSorted()).toEqual(ids.toSorted());
      // A change may have two events of one version.
      for (const events of Map.groupBy(one ?? [], ({ event }) => String(event['subject'])).values()) {
        const versions = events.map(({ event }) => Number(event['aggregateversion']));
        expect(versions).toEqual(versions.toSorted((a, b) => a - b));
        expect([...new Set(versions)]).toEqual(times(new Set(versions).size, (n) => n + (versions[0] ?? 0)));
      }
    });

    test('shows the same contents, objects and calls at every gateway', async () => {
      await using rehearsal = await aRehearsal();
      const order = await anOrder(rehearsal.any);
      await rehearsal.verified();
      const shown = async (client: PlainClient) => {
        const { counts } = await client.control('read-rehearsal', { params: { name: rehearsal.name } });
        const { items: orders } = await client.control('list-objects', { params: { type: 'order' }, query: { state: 'confirmed' } });
        const topology = await client.control('read-topology');
        return { counts, orders, topology };
      };
      const [one] = await eventually('all gateways show the same', async () => {
        const [first, ...others] = await Promise.all(rehearsal.each.map(shown));
        return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) && [first];
      });
      expect(one?.orders.map(({ id }) => id)).toEqual([order]);
      expect(one?.counts.objects['order']).toEqual({ confirmed: 1 });
      expect(one?.topology.applications.filter(({ state }) => state !== 'ready')).toEqual([]);
      expect(one?.topology.touchpoint).toEqual({ state: 'unknown' });
      expect(one?.topology.seen).toContainEqual({ from: 'oms', to: 'payment-hub', calls: expect.any(Number), failed: 0 });
    });

    test('notifies waiting clients of one gateway of changes at another, and journals every hop', async () => {
      await using rehearsal = await aRehearsal();
      const [first, second, third] = rehearsal.each;
      const waiting = second.control('wait-for-events', { body: { type: 'order-confirmed', count: 1, timeoutMs: 10_000 } });
      const orderId = await anOrder(first);
      const { found, items } = await waiting;
      expect([found, items[0]?.event['subject']]).toEqual([true, `order/${orderId}`]);
      const headers = { 'x-correlation-id': 'a-story' };
      await rehearsal.any.call('POST', `/orders/${orderId}/cancel`, {}, { headers });
      await third.control('settle');
      const journal = await second.control('read-journal', { query: { correlationId: 'a-story' } });
      expect(journal.complete).toBe(true);
      expect(new Set(journal.items.map((item) => item['application'])).size).toBeGreaterThan(2);
      // A record is written after its hop, and the answer does not wait for it.
      await eventually('the same journal at both gateways', async () => {
        const [here, there] = await Promise.all(
          [first, second].map((one) => one.control('read-journal', { query: { correlationId: 'a-story' } })),
        );
        return isDeepStrictEqual(here?.items, there?.items);
      });
    });

    describe('The clock', () => {
      test('that one gateway advances runs due work one item at a time and in order, although the others see it, too', async () => {
        await using rehearsal = await aRehearsal();
        await Promise.all(times(20, () => aBasket(rehearsal.any)));
        const advance = (client: PlainClient) =>
          client.call('POST', '/_control/clock/advance', { by: 'P5D', timeoutMs: 60_000 }, { as: 'admin' });
        const replies = await Promise.all(rehearsal.each.map(advance));
        expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
        const busy = replies.find(({ status }) => status === 409);
        expect([busy?.body.code, busy?.headers['retry-after']]).toEqual(['clock_busy', '1']);
        const [advanced] = replies.filter(({ status }) => status === 200).map(({ body }) => body as ControlOutput<typeof advanceClock>);
        expect(advanced?.settled).toBe(true);
        const ran = advanced?.ran ?? [];
        const idle = ran.filter(({ application }) => application === 'ecommerce-platform');
        expect(idle.length).toBeGreaterThanOrEqual(20);
        expect(ran.map(({ at }) => at)).toEqual(ran.map(({ at }) => at).toSorted());
        await rehearsal.verified();
      });

      test('flows at every gateway, and due work runs once', async () => {
        await using rehearsal = await aRehearsal();
        await Promise.all(times(10, () => anOrder(rehearsal.any)));
        await rehearsal.any.control('advance-clock', { body: { by: 'PT2H', timeoutMs: 60_000 } });
        await rehearsal.verified();
        const journal = await rehearsal.any.control('read-journal', { query: { limit: 5_000 } });
        const done = journal.items.filter((item) => item['method'] === 'DUE' && item['status'] === 200);
        const keys = done.map((item) => `${item['application']} ${item['api']} ${item['path']} ${item['at']}`);
        expect(keys.length).toBeGreaterThanOrEqual(10);
        expect(new Set(keys).size).toBe(keys.length);
      });
    });

    test('sends withheld events in their original order, regardless of the releasing gateway', async () => {
      await using rehearsal = await aRehearsal();
      const fault = { match: { event: 'ext.basket-changed' }, fault: { kind: 'withhold' } } as const;
      await rehearsal.any.control('put-fault', { params: { name: 'held' }, body: fault });
      const { id } = await aBasket(rehearsal.any);
      for (const _ of times(15, String)) await ok(rehearsal.any, 'POST', `/baskets/${id}/lines`, MUG);
      const held = (await rehearsal.any.control('settle')).withheld;
      expect(held.length).toBeGreaterThanOrEqual(15);
      await rehearsal.any.control('delete-faults');
      await rehearsal.verified();
      const events = (await listed(rehearsal.any)).filter(({ event }) => event['type'] === 'com.unified-commerce.ext.basket-changed');
      expect(events.map(({ event }) => event['id'])).toEqual(held.map((item) => item.id));
    });

    test.each(rehearsed.map((scenario) => [scenario.name, scenario] as const))('passes the scenario %s', async (_name, scenario) => {
      const { told, report } = toldReport();
      await runScenario(scenario, {
        gateway: estate.gateway,
        bearer: 'demo-integration-token',
        apiKey: 'demo-carrier-key',
        admin: ADMIN,
        report,
      });
      expect(told.at(-1)).toBe('passed');
    });
  });
}
