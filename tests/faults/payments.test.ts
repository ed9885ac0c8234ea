import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { eventually } from '../support/eventually.ts';
import { type EstateOfProcesses, killAll, PATIENCE_MS, type Rehearsed, shown, startEstateOfProcesses, times } from './processes.ts';
import { CARD, confirmed, order, SHOP } from './shop.ts';

const AUTHORIZATIONS = '/payments/authorizations';

afterAll(killAll);
if (whyNoRedis === undefined) describe('Payments, in processes that die and stall', payments);
else skipWithoutRedis('payments in processes that are killed');

function payments(): void {
  let redis: RedisServer;
  let estate: EstateOfProcesses;

  beforeAll(async () => {
    redis = await startRedis();
    estate = await startEstateOfProcesses({ services: { ...SHOP, 'payment-hub': 2 }, redisPort: redis.port });
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await estate?.close();
    await redis?.stop();
  });

  const row = (title: string, body: () => Promise<void>): void => test(title, () => shown(estate, body));
  const listed = async (rehearsal: Rehearsed, orderId: string) =>
    (await estate.inside('oms', 'payment-hub', rehearsal, { method: 'GET', path: `/internal/payments?orderId=${orderId}` })).body.items;

  // If the last commit does not store the outcome under the key, the repeat runs again instead of being replayed.
  row(
    'row 3: the Payment Hub is killed after Authorize is committed and before it replies: the same key has the same result, and one effect',
    async () => {
      const rehearsal = await estate.rehearse();
      const orderId = await order(rehearsal);
      const body = { orderId, tender: CARD };
      const struck = estate.strike('payment-hub', {
        lose: 'answer',
        when: (asked) => asked.includes(scripts.commit.sha) && asked.includes('"status":201'),
        by: 'silence',
      });
      const first = rehearsal.client
        .call('POST', AUTHORIZATIONS, body, { headers: { 'idempotency-key': 'killed' } })
        .catch(() => undefined);
      const victim = await struck;
      victim.signal('SIGKILL');
      expect(await victim.ended).toBe('SIGKILL');
      expect([undefined, 502, 503, 504]).toContain((await first)?.status);
      await estate.start('payment-hub');
      const again = await rehearsal.insist('POST', AUTHORIZATIONS, body, 'killed');
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
      expect(await listed(rehearsal, orderId)).toMatchObject([{ id: again.body.id, state: 'authorised' }]);
      expect(await rehearsal.broken()).toEqual([]);
    },
  );

  // Without the claim of the key, some of the 50 requests try to pay and are 409.
  row('row 10: one key sent 50 times at once to two Payment Hubs is one charge; with another body it is 422', async () => {
    const rehearsal = await estate.rehearse();
    const orderId = await order(rehearsal);
    const half = { orderId, tender: CARD, amount: { amount: 100, currency: 'EUR' } };
    const replies = await Promise.all(times(50, () => rehearsal.insist('POST', AUTHORIZATIONS, half, 'fifty')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    const [first] = replies;
    expect(new Set(replies.map(({ body }) => body.id))).toEqual(new Set([first?.body.id]));
    expect(await listed(rehearsal, orderId)).toMatchObject([{ id: first?.body.id, authorizedAmount: half.amount }]);
    const other = await rehearsal.insist('POST', AUTHORIZATIONS, { ...half, amount: { amount: 101, currency: 'EUR' } }, 'fifty');
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await listed(rehearsal, orderId)).toHaveLength(1);
    expect(await rehearsal.broken()).toEqual([]);
  });

  // Without the due work `capture-payments` of the OMS, the order never records its capture.
  row(
    'row 11: the Payment Hub stalls past the timeout of the OMS and then captures: the order is reconciled, and captured once',
    async () => {
      const rehearsal = await estate.rehearse();
      const orderId = await confirmed(rehearsal);
      const hub = estate.way('payment-hub');
      const struck = hub.strike({ lose: 'request', when: (asked) => /^POST \S*\/capture /m.test(asked), by: 'silence' });
      const path = `/internal/orders/${orderId}/ensure-captured`;
      const call = { method: 'POST' as const, path, body: { fulfillmentOrderId: 'ful_1' } };
      const dispatching = estate.inside('fms', 'oms', rehearsal, call);
      await struck;
      expect((await dispatching).body).toMatchObject({ code: 'dependency_timeout', dependency: 'payment-hub' });
      hub.clear();
      // No client retries: the order's own due work does, after some rehearsal time.
      await rehearsal.client.control('advance-clock', { body: { by: 'PT10M', timeoutMs: 1_000 } });
      await eventually(
        'the order knows of its money',
        async () => {
          const { captureStatus } = await rehearsal.object('order', orderId);
          return captureStatus === undefined && (await listed(rehearsal, orderId))[0].state === 'captured';
        },
        PATIENCE_MS,
      );
      const [payment, ...others] = await listed(rehearsal, orderId);
      expect(others).toEqual([]);
      expect(payment).toMatchObject({ state: 'captured', capturedAmount: payment.authorizedAmount });
      const repeated = await estate.inside('fms', 'oms', rehearsal, call);
      expect(repeated).toMatchObject({ status: 200, body: { captured: payment.authorizedAmount } });
      expect((await listed(rehearsal, orderId))[0]).toEqual(payment);
      expect(await rehearsal.broken()).toEqual([]);
    },
  );
}
