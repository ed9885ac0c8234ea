import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { paymentStatusOf, requiredFor, stillToPay, stillToSecure } from '../../shared/catalog/payment/cover.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import { runsOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';

/** What a client does with the payments of an order. `share`: of the outstanding, authorised or captured amount, in percent. */
const steps = fc.array(
  fc.record({
    act: fc.constantFrom('pay', 'pay', 'pay', 'capture', 'void', 'refund'),
    share: fc.integer({ min: 1, max: 100 }),
    token: fc.constantFrom('tok_visa', 'tok_visa', 'tok_3ds', 'tok_refund_later', 'tok_decline_at_capture', 'tok_decline_do_not_honor'),
    which: fc.nat(5),
  }),
  { minLength: 3, maxLength: 8 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

const partOf = (amount: number, share: number): number => Math.ceil((amount * share) / 100);

/** Captures, voids or refunds one of the payments. It may be refused. */
async function change(rehearsal: TestRehearsal, ids: readonly string[], { act, share, which }: Step): Promise<void> {
  const id = ids[which % Math.max(1, ids.length)];
  if (id === undefined) return;
  const { authorizedAmount, capturedAmount } = await rehearsal.object('payment', id);
  const amount = (of: { amount: number; currency: string }) => ({ ...of, amount: partOf(of.amount, share) });
  if (act === 'void') await rehearsal.call('void-payment-api', { params: { id } });
  else if (act === 'capture') await rehearsal.call('capture-payment-api', { params: { id }, body: { amount: amount(authorizedAmount) } });
  else await rehearsal.call('refund-payment-api', { params: { id }, body: { amount: amount(capturedAmount) } });
}

/** The Payment Hub, the OMS and the explanation agree with the sums over the published payments. */
async function compareOrder(rehearsal: TestRehearsal, orderId: string) {
  const order = await rehearsal.order(orderId);
  const { payments, paymentStatus, totals } = order;
  const { currency, amount: total } = totals.total;
  const left = { amount: stillToPay(requiredFor(order), payments), currency };
  expect(paymentStatus).toBe(paymentStatusOf(total, payments, requiredFor(order)));
  const tooMuch = { orderId, tender: card(), amount: { amount: total + 1, currency } };
  const refused = await rehearsal.call('authorize-payment-api', { body: tooMuch });
  expect(refused).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: left } });
  const { reasons } = await rehearsal.control('explain-object', { params: { type: 'order', id: orderId } });
  const asked = reasons.filter(({ code }) => code === 'waits-for-customer').map(({ text }) => text);
  expect(asked).toEqual(left.amount > 0 ? [`It waits for the customer to pay ${moneyInWords(left)}.`] : []);
  const outstanding = { amount: stillToSecure(total, payments), currency };
  if (outstanding.amount > 0) {
    const { status, body } = await rehearsal.confirm(orderId);
    expect([status, body]).toMatchObject([409, { code: 'payment_incomplete', outstanding }]);
  }
  return { left, outstanding };
}

const runs = { numRuns: runsOf({ usually: 3, thoroughly: 30 }), endOnFailure: true };

test.each(['EUR', 'JPY', 'BHD'])(
  'Payment Hub, OMS and explanations agree on what the payments of an order in %s still have to cover',
  async (currency) => {
    const property = fc.asyncProperty(steps, async (story) => {
      await using rehearsal = await newRehearsal({}, { retailer: { currency } });
      const { id } = await rehearsal.draft();
      for (const step of story) {
        const { left } = await compareOrder(rehearsal, id);
        const amount = { amount: partOf(left.amount, step.share), currency };
        if (step.act !== 'pay')
          await change(
            rehearsal,
            (await rehearsal.order(id)).payments.map((one) => one.id),
            step,
          );
        else if (left.amount > 0)
          await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: card(step.token), amount } });
      }
      const { outstanding } = await compareOrder(rehearsal, id);
      if (outstanding.amount === 0) expect((await rehearsal.confirm(id)).status).toBe(200);
      await rehearsal.verify();
    });
    await fc.assert(property, runs);
  },
);

test.each(['EUR', 'JPY', 'BHD'])('The POS agrees with the payments of a sale in %s on what they still have to cover', async (currency) => {
  const property = fc.asyncProperty(steps, async (story) => {
    await using rehearsal = await newRehearsal({}, { retailer: { currency } });
    const { id, totals } = await rehearsal.sale();
    const pay = (token: string, amount: number) =>
      rehearsal.call('add-payment-api', { params: { id }, body: { tender: card(token), amount: { amount, currency } } });
    const paymentIds: string[] = [];
    for (const step of story) {
      await rehearsal.settle();
      const payments = await Promise.all(paymentIds.map((one) => rehearsal.object('payment', one)));
      const outstanding = { amount: stillToPay(totals.total.amount, payments), currency };
      const tooMuch = await pay('tok_visa', totals.total.amount + 1);
      expect(tooMuch).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding } });
      // A part at most: a sale that is covered ends.
      const part = Math.min(partOf(outstanding.amount, step.share), outstanding.amount - 1);
      if (step.act !== 'pay') await change(rehearsal, paymentIds, step);
      else if (part > 0) {
        const { status, body } = await pay(step.token, part);
        if (status === 201) paymentIds.push(body.id);
      }
    }
    await rehearsal.verify();
  });
  await fc.assert(property, runs);
});
