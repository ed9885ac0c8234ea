import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { countCommands, sum } from '../../bench/redis-commands.ts';
import { ADDRESS } from '../support/estate.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { clientOf, type Replicas, startReplicas } from './replicas/running-replicas.ts';
import { skipWithoutRedis } from './without-redis.ts';

const CLIENTS = 4;
const ORDERS_EACH = 4;
/** A tenth more than was counted: how many hops and changes one script takes together depends on the machine. */
const MOST_SCRIPTS = 86;
const MOST_COMMANDS = 138;

if (whyNoRedis) {
  skipWithoutRedis('the work of Redis per order');
} else {
  describe('A whole order of four clients in an estate with two replicas', () => {
    let server: RedisServer;
    let estate: Replicas;

    beforeAll(async () => {
      server = await startRedis();
      estate = await startReplicas({ redis: server.url });
    });
    afterAll(async () => {
      await estate.close();
      await server.stop();
    });

    test(`takes at most ${MOST_SCRIPTS} scripts of Redis, and ${MOST_COMMANDS} commands with the plain ones`, async () => {
      const client = clientOf(estate.gateway, 'counted');
      await client.control('create-rehearsal', { body: { name: 'counted' } });
      const ok = async (path: string, body: unknown = {}) => {
        const reply = await client.call('POST', path, body);
        if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
        return reply.body;
      };
      async function placeOrder(): Promise<void> {
        const { id: basketId } = await ok('/baskets', { channel: 'web', customerId: 'cus_ada' });
        await ok(`/baskets/${basketId}/lines`, { sku: 'mug-blue', qty: 1 });
        await ok(`/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
        const { id: orderId } = await ok('/orders', { basketId });
        await ok('/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
        await ok(`/orders/${orderId}/confirm`);
      }
      async function placeOrders(): Promise<void> {
        for (let n = 0; n < ORDERS_EACH; n++) await placeOrder();
      }
      await placeOrder();
      await client.control('settle');
      const { scripts, plain } = await countCommands(server.url, async () => {
        await Promise.all(Array.from({ length: CLIENTS }, placeOrders));
        await client.control('settle');
      });
      await client.close();
      const orders = CLIENTS * ORDERS_EACH;
      const inScripts = sum(scripts) / orders;
      const inAll = inScripts + sum(plain) / orders;
      if (inScripts > MOST_SCRIPTS || inAll > MOST_COMMANDS) {
        const each = [...scripts, ...plain].sort(([, one], [, other]) => other - one).map(([name, count]) => `${name} ${count / orders}`);
        throw new Error(`${inScripts} scripts and ${inAll} commands per order: ${each.join(', ')}`);
      }
    });
  });
}
