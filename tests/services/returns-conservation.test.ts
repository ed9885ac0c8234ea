import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { STORE } from '../support/steps/return.ts';

/**
 * Orders of odd prices, with promotions, vouchers and several tenders, come back in random parts. Some returns are rejected, clients
 * refund by hand, processes answer late. In every case each cent of the goods is refunded exactly once.
 */

/** Three bars for two, 15 % off, 10.00 off, and a product without discount. */
const SKUS = ['chocolate-dark', 'scarf-lambswool', 'lamp-desk', 'mug-blue', 'seeds-wildflower'];

const aLine = fc.record({ sku: fc.constantFrom(...SKUS), qty: fc.integer({ min: 1, max: 7 }) });
const aReturn = fc.record({
  line: fc.nat(5),
  units: fc.integer({ min: 1, max: 4 }),
  condition: fc.constantFrom('resellable', 'damaged'),
  ends: fc.constantFrom('inspected', 'inspected', 'inspected', 'rejected', 'rejected-late', 'together'),
});
const aStory = fc.record({
  lines: fc.uniqueArray(aLine, { minLength: 1, maxLength: 3, selector: ({ sku }) => sku }),
  voucherCodes: fc.constantFrom([], ['WELCOME10']),
  split: fc.integer({ min: 1, max: 99 }),
  returns: fc.array(aReturn, { minLength: 1, maxLength: 6 }),
});
type Story = typeof aStory extends fc.Arbitrary<infer T> ? T : never;

interface Amount {
  readonly amount: number;
}
interface Order {
  readonly id: string;
  readonly lines: readonly { readonly lineId: string; readonly qty: number; readonly returnedQty: number }[];
  readonly totals: { readonly total: Amount; readonly shipping: Amount };
  readonly payments: readonly { readonly refundedAmount: Amount }[];
}

/** An order that two tenders pay and that reaches its customer without further calls. */
async function delivered(rehearsal: TestRehearsal, { lines, voucherCodes, split }: Story): Promise<Order> {
  const { id, totals } = await rehearsal.draft({ lines, voucherCodes });
  const total = totals.total.amount;
  const first = Math.max(1, Math.min(5_000, Math.floor((total * split) / 100)));
  await rehearsal.authorisation(id, first, { type: 'gift-card', token: 'gift_50' });
  if (total > first) await rehearsal.authorisation(id, total - first);
  await rehearsal.confirmed(id);
  await rehearsal.settle();
  return rehearsal.order(id);
}

/** Returns units, as far as the customer has them; `together`: the same units twice concurrently. */
async function comesBack(
  rehearsal: TestRehearsal,
  order: Order,
  { line, units, condition, ends }: Story['returns'][number],
): Promise<void> {
  const { lineId, qty } = order.lines[line % order.lines.length] as Order['lines'][number];
  const now: Order = await rehearsal.order(order.id);
  const left = qty - (now.lines.find((one) => one.lineId === lineId)?.returnedQty ?? 0);
  if (left === 0) return;
  const asked = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineId, qty: Math.min(units, left), reason: condition }] };
  const replies = await Promise.all((ends === 'together' ? [1, 2] : [1]).map(() => rehearsal.announce(asked)));
  for (const { status, body } of replies) {
    if (status === 409) continue;
    expect(status).toBe(201);
    // Goods without a price have no refund: their return ends with the inspection.
    const isLate = ends === 'rejected-late' && body.refundAmount.amount > 0;
    if (isLate) await rehearsal.progress({ refund: 'manual' });
    if (ends === 'rejected') await rehearsal.moved(body.id, 'reject');
    else await rehearsal.moved(body.id, 'approve', 'receive', 'inspect');
    if (isLate) await rehearsal.moved(body.id, 'reject');
    if (isLate) await rehearsal.progress({ refund: 'auto' });
  }
}

test('Each cent of returned goods is refunded once', async () => {
  await fc.assert(
    fc.asyncProperty(aStory, async (story) => {
      await using rehearsal = await newRehearsal({ returns: 'manual', carrier: 'immediate', warehouse: 'immediate' });
      const order = await delivered(rehearsal, story);
      expect(order).toMatchObject({ state: 'completed' });
      for (const one of story.returns) await comesBack(rehearsal, order, one);
      await rehearsal.verify();
      const now: Order = await rehearsal.order(order.id);
      const rest = now.lines.filter(({ qty, returnedQty }) => returnedQty < qty);
      const lines = rest.map(({ lineId, qty, returnedQty }) => ({ orderLineId: lineId, qty: qty - returnedQty, reason: 'all of it' }));
      if (lines.length > 0) {
        const { id } = await rehearsal.api('create-return-api', { body: { orderId: order.id, locationId: STORE, lines } });
        await rehearsal.moved(id, 'approve', 'receive', 'inspect');
      }
      const after: Order = await rehearsal.order(order.id);
      const back = after.payments.reduce((sum, { refundedAmount }) => sum + refundedAmount.amount, 0);
      expect(back).toBe(order.totals.total.amount - order.totals.shipping.amount);
      await rehearsal.verify();
    }),
    { numRuns: runsOf({ usually: 5, thoroughly: 12 }), endOnFailure: true },
  );
}, 240_000);
