import { expect } from '@jest/globals';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { eventually } from '../support/eventually.ts';
import { card, eur } from '../support/steps/tender.ts';
import { describeEstate, PATIENCE_MS, type Rehearsed, SHOP, times } from './processes.ts';

const AUTHORIZE = 'authorize-payment-api';

describeEstate('Payments, in processes that die and stall', { services: { ...SHOP, 'payment-hub': 2 } }, (estate, row) => {
  const paymentsOf = async (rehearsal: Rehearsed, orderId: string) =>
    (await estate.inside('oms', 'payment-hub', rehearsal, { method: 'GET', path: `/internal/payments?orderId=${orderId}` })).body.items;

  // If the last commit does not store the outcome under the key, the repeat runs again instead of being replayed.
  row('row 3: the Payment Hub is killed after the commit of Authorize: the same key has the same result, and one effect', async () => {
    const rehearsal = await estate.rehearse();
    const { id: orderId } = await rehearsal.draft();
    const authorize = { body: { orderId, tender: card() }, headers: { 'idempotency-key': 'killed' } };
    const struck = estate.strike('payment-hub', {
      lose: 'answer',
      when: (sent) => sent.includes(scripts.commit.sha) && sent.includes('"status":201'),
      by: 'silence',
    });
    const first = rehearsal.call(AUTHORIZE, authorize).catch(() => undefined);
    const victim = await struck;
    victim.signal('SIGKILL');
    expect(await victim.ended).toBe('SIGKILL');
    expect([undefined, 502, 503, 504]).toContain((await first)?.status);
    await estate.start('payment-hub');
    const again = await rehearsal.insist(AUTHORIZE, authorize);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await paymentsOf(rehearsal, orderId)).toMatchObject([{ id: again.body.id, state: 'authorised' }]);
    expect(await rehearsal.broken()).toEqual([]);
  });

  // Without the claim of the key, some of the 50 requests try to pay and are 409.
  row('row 10: one key sent 50 times to two Payment Hubs is one charge; with another body it is 422', async () => {
    const rehearsal = await estate.rehearse();
    const { id: orderId } = await rehearsal.draft();
    const pay = (amount: number) =>
      rehearsal.insist(AUTHORIZE, { body: { orderId, tender: card(), amount: eur(amount) }, headers: { 'idempotency-key': 'fifty' } });
    const replies = await Promise.all(times(50, () => pay(100)));
    const [[status, id] = [], ...others] = [...new Set(replies.map(({ status, body }) => `${status} ${body.id}`))].map((text) =>
      text.split(' '),
    );
    expect([status, others]).toEqual(['201', []]);
    expect(await pay(101)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await paymentsOf(rehearsal, orderId)).toEqual([expect.objectContaining({ id, authorizedAmount: eur(100) })]);
    expect(await rehearsal.broken()).toEqual([]);
  });

  // Without the due work `capture-payments` of the OMS, the order never records its capture.
  row(
    'row 11: the Payment Hub stalls past the timeout of the OMS and then captures: the order is reconciled, and captured once',
    async () => {
      const rehearsal = await estate.rehearse();
      const { id: orderId } = await rehearsal.confirmed();
      const hub = estate.way('payment-hub');
      const struck = hub.strike({ lose: 'request', when: (sent) => /^POST \S*\/capture /m.test(sent), by: 'silence' });
      const path = `/internal/orders/${orderId}/ensure-captured`;
      const capture = () => estate.inside('fms', 'oms', rehearsal, { method: 'POST', path, body: { fulfillmentOrderId: 'ful_1' } });
      const dispatching = capture();
      await struck;
      expect((await dispatching).body).toMatchObject({ code: 'dependency_timeout', dependency: 'payment-hub' });
      hub.clear();
      // No client retries. The due work of the order does, after some rehearsal time.
      await rehearsal.control('advance-clock', { body: { by: 'PT10M', timeoutMs: 1_000 } });
      const isReconciled = async () => {
        const { captureStatus } = await rehearsal.object('order', orderId);
        return captureStatus === undefined && (await paymentsOf(rehearsal, orderId))[0].state === 'captured';
      };
      await eventually('the order is reconciled', isReconciled, PATIENCE_MS);
      const payments = await paymentsOf(rehearsal, orderId);
      const { authorizedAmount } = payments[0];
      expect(payments).toEqual([expect.objectContaining({ state: 'captured', capturedAmount: authorizedAmount })]);
      expect(await capture()).toMatchObject({ status: 200, body: { captured: authorizedAmount } });
      expect(await paymentsOf(rehearsal, orderId)).toEqual(payments);
      expect(await rehearsal.broken()).toEqual([]);
    },
  );
});
