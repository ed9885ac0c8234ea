import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EstateClient } from '../../../rehearsal/estate-client.ts';
import { ADDRESS } from '../../support/estate.ts';
import { eventually } from '../../support/eventually.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../redis-server.ts';
import { skipWithoutRedis } from '../without-redis.ts';
import { clientOf, type Replicas, startReplicas } from './running-replicas.ts';

const BASKET = { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] };
const HOPS_OF_A_BASKET = 3;
const WITHIN_MS = 60_000;

if (whyNoRedis) {
  skipWithoutRedis('what is watched through several gateways');
} else {
  describe('Several gateways of one estate', () => {
    let server: RedisServer;
    let estate: Replicas;
    let gateways: readonly [string, string];

    beforeAll(async () => {
      server = await startRedis();
      estate = await startReplicas({ redis: server.url, processes: 2 });
      gateways = estate.replicas.map(({ door }) => door.url) as [string, string];
    });
    afterAll(async () => {
      await estate.close();
      await server.stop();
    });

    test('have all hops of a call in the journal as soon as it is answered', async () => {
      const name = `replicas-${randomBytes(5).toString('hex')}`;
      await using client = clientOf(gateways[0], name);
      await client.control('create-rehearsal', { body: { name } });
      const found: number[] = [];
      for (let call = 0; call < 10; call++) {
        const correlationId = `call-${call}`;
        await client.call('POST', '/baskets', BASKET, { headers: { 'x-correlation-id': correlationId } });
        found.push((await client.control('read-journal', { query: { correlationId } })).items.length);
      }
      expect(found).toEqual(Array.from(found, () => HOPS_OF_A_BASKET));
    });

    test('have all deliveries in the journal as soon as a rehearsal has settled', async () => {
      const name = `replicas-${randomBytes(5).toString('hex')}`;
      await using client = clientOf(gateways[0], name);
      await client.control('create-rehearsal', { body: { name } });
      const hopsOf = async (correlationId: string) => (await client.control('read-journal', { query: { correlationId } })).items;
      const ok = async (correlationId: string, path: string, body: unknown = {}) => {
        const reply = await client.call('POST', path, body, { headers: { 'x-correlation-id': correlationId } });
        if (reply.status >= 300) throw new Error(`${path} answered ${reply.status}.`);
        return reply.body;
      };
      const found: number[] = [];
      for (let number = 0; number < 5; number++) {
        const { id: basketId } = await ok('before', '/baskets', { ...BASKET, customerId: 'cus_ada' });
        await ok('before', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
        const { id: orderId } = await ok('before', '/orders', { basketId });
        await ok('before', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
        await ok(`confirm-${number}`, `/orders/${orderId}/confirm`);
        await client.control('settle');
        found.push((await hopsOf(`confirm-${number}`)).length);
      }
      const last = await Promise.all(found.map((_hops, number) => hopsOf(`confirm-${number}`)));
      expect(found).toEqual(last.map(({ length }) => length));
      expect(last.every((hops) => hops.some(({ method }) => method === 'CONSUME'))).toBe(true);
    });

    test('resume the streams of each other without a gap or a repeat', async () => {
      const name = `replicas-${randomBytes(5).toString('hex')}`;
      const clients = gateways.map((url) => clientOf(url, name)) as [EstateClient, EstateClient];
      const [one] = clients;
      await one.control('create-rehearsal', { body: { name } });
      const [hops, orders]: [number[], number[]] = [[], []];
      let after: string | undefined;
      for (let round = 0; round < 6; round++) {
        const client = clients[round % 2] as EstateClient;
        const stream = client.stream('read-stream', { ...(after !== undefined && { after }), query: { topics: 'clock,hops,events' } });
        for await (const frame of stream) {
          after = frame.id;
          if (frame.event === 'gap') throw new Error(`There is a gap: ${frame.data.reason}.`);
          if (frame.event === 'clock') await Promise.all(clients.map((any) => any.call('POST', '/baskets', BASKET)));
          else if (frame.event === 'hops') hops.push(...frame.data.map((hop) => hop.sequence));
          else if (frame.event === 'events') orders.push(...frame.data.map((event) => event.order));
          if (frame.event !== 'clock') break;
        }
      }
      await one.control('settle');
      const { items: recorded } = await one.control('read-journal', { query: { limit: 5_000 } });
      const { items: published } = await one.control('list-events', { query: { ext: 'true', limit: 1_000 } });
      const [lastHop, lastEvent] = [Number(recorded.at(-1)?.['sequence']), published.at(-1)?.order];
      for await (const frame of clients[1].stream('read-stream', {
        ...(after !== undefined && { after }),
        query: { topics: 'hops,events' },
      })) {
        if (frame.event === 'hops') hops.push(...frame.data.map((hop) => hop.sequence));
        else if (frame.event === 'events') orders.push(...frame.data.map((event) => event.order));
        if (Number(hops.at(-1)) >= lastHop && Number(orders.at(-1)) >= Number(lastEvent)) break;
      }
      const { items: all } = await one.control('read-journal', { query: { limit: 5_000 } });
      expect(hops).toEqual(all.slice(0, hops.length).map(({ sequence }) => sequence));
      expect(orders).toEqual(published.map(({ order }) => order));
      await Promise.all(clients.map((client) => client.close()));
    });

    test('tell of the runs of each other, and stop them', async () => {
      const [one, other] = gateways.map((url) => clientOf(url)) as [EstateClient, EstateClient];
      const start = async () => (await one.control('start-run', { body: { scenario: 'digital-order' } })).id;
      const read = (id: string) => other.control('read-run', { params: { id } });
      const passed = await start();
      await eventually('it passes', async () => (await read(passed)).state === 'passed', WITHIN_MS);
      expect((await read(passed)).steps.length).toBeGreaterThan(3);
      const stopped = await start();
      const { rehearsal } = await eventually(
        'it has begun',
        async () => [await read(stopped)].find((run) => run.rehearsal !== undefined),
        WITHIN_MS,
      );
      await other.control('delete-run', { params: { id: stopped } });
      expect((await one.control('read-run', { params: { id: stopped } })).state).toBe('stopped');
      await eventually(
        'its rehearsal is gone',
        async () => !(await one.control('list-rehearsals')).items.some(({ name }) => name === rehearsal),
      );
      expect((await one.control('list-runs')).items.map(({ id }) => id)).toEqual([stopped, passed]);
      for (const id of [stopped, passed]) await other.control('delete-run', { params: { id } });
      expect((await one.control('list-runs')).items).toEqual([]);
      await Promise.all([one.close(), other.close()]);
    });
  });
}
