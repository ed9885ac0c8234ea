import { expect, test } from '@jest/globals';
import { subscriptionOf } from '../../shared/catalog/subscriptions.ts';
import { eventually, newRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';

test('An order is paid, delivered and partly refunded at a real Payment Hub, with the events of its payments, and verify holds', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, {
    'payment-hub': { url: hub.url, headers: { Authorization: 'Bearer hub-secret' } },
  });
  const order = await rehearsal.draft();
  expect(await rehearsal.authorisation(order.id, order.totals.total.amount)).toMatchObject({
    id: 'pay_real1',
    state: 'authorised',
    version: 1,
  });
  await rehearsal.confirmed(order.id);
  await rehearsal.advance('P5D');
  expect((await rehearsal.order(order.id)).state).toBe('completed');
  expect((await rehearsal.refund('pay_real1', 100)).status).toBe(201);
  const events = await rehearsal.events({ subject: 'payment/pay_real1', ext: true });
  expect(events.map(({ type, aggregateversion }) => [type, aggregateversion])).toEqual([
    ['com.unified-commerce.payment-authorized', 1],
    ['com.unified-commerce.payment-captured', 2],
    ['com.unified-commerce.ext.payment-changed', 3],
  ]);
  expect(await rehearsal.object('payment', 'pay_real1')).toMatchObject({ state: 'partially-refunded', version: 3 });
  const { complete, invariants } = await rehearsal.verify();
  expect([complete, invariants.find(({ id }) => id === 'money')?.basis]).toEqual([false, 'as-seen']);
  expect(await rehearsal.settle()).toMatchObject({ unseen: ['payment-hub'] });
  expect((await rehearsal.control('list-swaps')).items[0]).toMatchObject({
    application: 'payment-hub',
    url: hub.url,
    mode: 'real',
    headers: ['Authorization'],
    calls: hub.received.length,
    failed: 0,
    violations: [],
  });
});

test('Events reach the real system of a subscriber, are owed while it is down, and are parked when it refuses them', async () => {
  let status = 503;
  await using loyalty = await startPaymentHub(({ path }) =>
    path === '/events' ? { status, body: { detail: 'We take none.' } } : { status: 503, body: {} },
  );
  await using rehearsal = await newRehearsal(undefined, undefined, { 'loyalty-platform': { url: loyalty.url } });
  const order = await rehearsal.confirmed();
  await rehearsal.advance('P5D');
  const delivered = () => loyalty.received.filter(({ path }) => path === '/events').map(({ text }) => JSON.parse(text));
  await eventually('the first attempt', async () => delivered().length > 0);
  const { parked } = await rehearsal.settle();
  expect(parked).toEqual([]);
  status = 204;
  const refused = delivered().length;
  await rehearsal.advance('PT12H');
  const events = await rehearsal.events({ ext: true });
  const owed = events.filter(({ type }) => subscriptionOf(type.replace('com.unified-commerce.', ''), 'loyalty-platform'));
  const accepted = delivered().slice(refused);
  expect(accepted.map(({ id }) => id).toSorted()).toEqual(owed.map(({ id }) => id).toSorted());
  expect(accepted.find(({ type }) => type.endsWith('payment-changed') || type.endsWith('order-changed'))).toMatchObject({
    specversion: '1.0',
  });
  await rehearsal.verify();
  status = 410;
  await rehearsal.refund((await rehearsal.order(order.id)).payments[0]?.id ?? '', 100);
  expect((await rehearsal.settle()).parked).toMatchObject([
    {
      what: 'delivery',
      error: expect.stringMatching(
        /^The real loyalty-platform answered 410 to event:\S+ at \/events: We take none\. If it takes none, set events/,
      ),
    },
  ]);
});
