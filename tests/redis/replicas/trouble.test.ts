import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClockDriver } from '../../../control/clock/driver.ts';
import { registeredApplications } from '../../../estate/registry.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { createLogger } from '../../../shared/process/logger.ts';
import { createRedisStore } from '../../../shared/store/redis/store.ts';
import { createHttpTransport } from '../../../shared/transport/http-transport.ts';
import type { AnyService } from '../../../shared/work/handler.ts';
import { ADDRESS } from '../../support/estate.ts';
import { eventually } from '../../support/eventually.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../redis-server.ts';
import { skipWithoutRedis } from '../without-redis.ts';
import { clientOf, type Replicas, startReplicas } from './running-replicas.ts';

const basket = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };

/** A CRM whose handler of confirmed orders fails on request, and a record of its effects. */
function brittleCrm() {
  const service = registeredApplications.map((registered) => registered.service).find(({ application }) => application === 'crm');
  if (!service) throw new Error('There is no CRM.');
  const state = { broken: true, effects: [] as string[] };
  const onOrderConfirmed = service.events['order-confirmed'];
  const brittle: AnyService = {
    ...service,
    events: {
      'order-confirmed': async (event, scope) => {
        if (state.broken) throw new Problem('internal_error', 'The CRM is broken.');
        await onOrderConfirmed?.(event, scope);
        state.effects.push(event.id);
      },
    },
  };
  return { state, service: brittle };
}

if (whyNoRedis) {
  skipWithoutRedis('trouble in an estate of which there is everything twice');
} else {
  describe('An estate with two replicas of every service', () => {
    let server: RedisServer;
    let estate: Replicas;
    const crm = brittleCrm();
    let rehearsals = 0;

    beforeAll(async () => {
      server = await startRedis();
      estate = await startReplicas({ redis: server.url, services: [crm.service], store: { outboxLimit: 20 } });
    });
    afterEach(() => {
      estate.bus.resume();
      crm.state.broken = true;
    });
    afterAll(async () => {
      await estate.close();
      await server.stop();
    });

    async function aRehearsal() {
      const name = `trouble-${++rehearsals}`;
      const client = clientOf(estate.gateway, name);
      const { world } = await client.control('create-rehearsal', { body: { name } });
      const verified = async (): Promise<void> => {
        const { settled, waitingFor, invariants } = await client.control('verify');
        expect([settled, waitingFor, invariants.flatMap(({ violations }) => violations)]).toEqual([true, [], []]);
      };
      const ok = async (method: string, path: string, body?: unknown) => {
        const reply = await client.call(method, path, body);
        if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
        return reply.body;
      };
      async function confirmedOrder(): Promise<string> {
        const { id } = await ok('POST', '/baskets', basket);
        await ok('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
        const { id: orderId } = await ok('POST', '/orders', { basketId: id });
        await ok('POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
        await ok('POST', `/orders/${orderId}/confirm`);
        return orderId;
      }
      return {
        name,
        client,
        world: world as `${string}~${string}`,
        verified,
        confirmedOrder,
        [Symbol.asyncDispose]: (): Promise<void> => client.close(),
      };
    }

    test('refuses changes but answers queries while too many events wait for the bus, and recovers when they are sent', async () => {
      await using rehearsal = await aRehearsal();
      const { client } = rehearsal;
      estate.bus.interrupt();
      const create = (n: number) => client.call('POST', '/baskets', basket, { headers: { 'idempotency-key': `basket-${n}` } });
      let accepted = 0;
      let refused = await create(0);
      while (refused.status === 201 && accepted < 50) refused = await create(++accepted);
      expect(accepted).toBe(20);
      expect(refused).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { code: 'dependency_unavailable', dependency: 'event-bus', retryable: true, detail: expect.stringContaining('20 events') },
      });
      expect((await client.call('GET', '/customers/cus_ada')).status).toBe(200);
      const waiting = await client.control('settle', { body: { timeoutMs: 0 } });
      expect(waiting.waitingFor.filter((text) => text.startsWith('unsent '))).toHaveLength(20);
      estate.bus.resume();
      const reply = await eventually('it goes on', async () => {
        const again = await create(accepted);
        return again.status === 201 && again;
      });
      expect(reply.headers['idempotent-replayed']).toBeUndefined();
      await rehearsal.verified();
      const { items } = await client.control('list-events', { query: { type: 'basket-created', limit: 100 } });
      expect(items).toHaveLength(21);
      expect(new Set(items.map(({ event }) => event['id'])).size).toBe(21);
    });

    describe('Parked work', () => {
      test('is listed, can be redriven by its key with one effect, and is parked again while it still fails', async () => {
        await using rehearsal = await aRehearsal();
        const { client } = rehearsal;
        await rehearsal.confirmedOrder();
        const [parked] = await eventually('the delivery is parked', async () => {
          const { items } = await client.control('list-parked');
          return items.length > 0 && items;
        });
        expect(parked).toMatchObject({ what: 'delivery', key: expect.stringMatching(/^crm\|evt_/), error: 'The CRM is broken.' });
        const key = parked?.key ?? '';
        const named = { what: 'delivery', key };
        const consumer = async () => (await client.control('read-event', { params: { id: key.slice('crm|'.length) } })).consumers[0];
        // The journal, which has the attempts, is written soon after they end.
        await eventually('every attempt is shown', async () => (await consumer())?.attempts === 5);
        expect(await consumer()).toMatchObject({ application: 'crm', state: 'parked', status: 500, error: 'The CRM is broken.' });
        expect(await client.control('redrive-parked', { body: { key } })).toEqual({ redriven: [named], left: [] });
        expect(await client.control('settle')).toMatchObject({ settled: true, parked: [{ ...named, error: 'The CRM is broken.' }] });
        crm.state.broken = false;
        const both = await Promise.all([0, 1].map(() => client.control('redrive-parked', { body: { key } }).catch(() => undefined)));
        expect(both.flatMap((answer) => answer?.redriven ?? [])).toEqual([named]);
        expect(await client.control('settle')).toMatchObject({ settled: true, parked: [] });
        expect(crm.state.effects.filter((id) => `crm|${id}` === key)).toHaveLength(1);
        await eventually('the attempts since are shown', async () => (await consumer())?.attempts === 7);
        expect(await consumer()).toMatchObject({ state: 'consumed', status: 200 });
        await rehearsal.verified();
        expect((await client.call('POST', '/_control/parked/redrive', { key }, { as: 'admin' })).body.code).toBe('not_found');
      });

      test('can be redriven as a whole', async () => {
        await using rehearsal = await aRehearsal();
        const { client } = rehearsal;
        await Promise.all([1, 2, 3].map(() => rehearsal.confirmedOrder()));
        await eventually('all are parked', async () => (await client.control('list-parked')).items.length === 3);
        crm.state.broken = false;
        expect((await client.control('redrive-parked')).redriven).toHaveLength(3);
        expect(await client.control('settle')).toMatchObject({ settled: true, parked: [] });
        expect(await client.control('redrive-parked')).toEqual({ redriven: [], left: [] });
        await rehearsal.verified();
      });
    });

    test('lets the clock of a rehearsal flow again after its driver died during an advance', async () => {
      await using rehearsal = await aRehearsal();
      const adapter = await createRedisStore({ url: server.url, prefix: estate.prefix });
      const { addressOf, token, agent } = estate;
      const driver = createClockDriver({
        worlds: adapter.worlds,
        transport: createHttpTransport({ addressOf, token, agent }),
        log: createLogger('silent'),
      });
      // The advance never ends by itself, because its pending work never completes.
      estate.bus.interrupt();
      await rehearsal.client.call('POST', '/baskets', basket);
      const advancing = driver.advance(rehearsal.world, Date.now() + 86_400_000, 60_000).catch((error: unknown) => error);
      await eventually(
        'it stands',
        async () => (await rehearsal.client.call('PUT', '/_control/clock', { flowing: true }, { as: 'admin' })).status === 409,
      );
      expect((await rehearsal.client.control('read-clock')).flowing).toBe(false);
      await adapter.close();
      expect(await advancing).toBeInstanceOf(Error);
      await driver.stop();
      estate.bus.resume();
      await eventually('it flows', async () => (await rehearsal.client.control('read-clock')).flowing);
      const { settled } = await rehearsal.client.control('advance-clock', { body: { by: 'P2D' } });
      expect(settled).toBe(true);
      await rehearsal.verified();
    });
  });
}
