import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { STORE } from '../support/steps/return.ts';
import { eur } from '../support/steps/tender.ts';

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
  ends: fc.constantFrom('inspected', 'inspected', 'inspected', 'rejected', 'rejected-late', 'at-once'),
});
const aStory = fc.record({
  lines: fc.uniqueArray(aLine, { minLength: 1, maxLength: 3, selector: ({ sku }) => sku }),
  voucherCodes: fc.constantFrom([], ['WELCOME10']),
  split: fc.integer({ min: 1, max: 99 }),
  returns: fc.array(aReturn, { minLength: 1, maxLength: 6 }),
});
type Story = typeof aStory extends fc.Arbitrary<infer T> ? T : never;

interface Line {
  readonly lineId: string;
  readonly qty: number;
  readonly returnedQty: number;
}
interface Order {
  readonly id: string;
  readonly lines: readonly Line[];
  readonly totals: { readonly total: { readonly amount: number }; readonly shipping: { readonly amount: number } };
  readonly payments: readonly {
    readonly capturedAmount: { readonly amount: number };
    readonly refundedAmount: { readonly amount: number };
  }[];
}

/** An order that two tenders pay and that reaches its customer without further calls. */
async function delivered(scene: TestRehearsal, { lines, voucherCodes, split }: Story): Promise<Order> {
  const basket = await scene.basket({ lines });
  await scene.checkedOut(basket.id, { voucherCodes: [...voucherCodes] });
  const { id, totals } = await scene.draft(basket.id);
  const first = Math.max(1, Math.min(5_000, Math.floor((totals.total.amount * split) / 100)));
  for (const [type, token, amount] of [
    ['gift-card', 'gift_50', first],
    ['card', 'tok_visa', totals.total.amount - first],
  ] as const) {
    if (amount > 0) await scene.api('authorize-payment-api', { body: { orderId: id, tender: { type, token }, amount: eur(amount) } });
  }
  await scene.confirmed(id);
  await scene.settle();
  return scene.order(id);
}

/** Returns units, as far as the customer has them; `at-once`: the same units twice concurrently. */
async function comesBack(scene: TestRehearsal, order: Order, { line, units, condition, ends }: Story['returns'][number]): Promise<void> {
  const { lineId, qty } = order.lines[line % order.lines.length] as Line;
  const left = qty - ((await scene.order(order.id)).lines.find((one) => one.lineId === lineId)?.returnedQty ?? 0);
  const asked = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineId, qty: Math.min(units, left), reason: condition }] };
  if (left === 0) return;
  const replies = await Promise.all((ends === 'at-once' ? [1, 2] : [1]).map(() => scene.announce(asked)));
  for (const { status, body } of replies) {
    if (status === 409) continue;
    expect(status).toBe(201);
    if (ends === 'rejected') await scene.moved(body.id, 'reject');
    // Free goods have no refund: their return ends with the inspection.
    else if (ends === 'rejected-late' && body.refundAmount.amount > 0) await rejectedLate(scene, body.id);
    else await scene.moved(body.id, 'approve', 'receive', 'inspect');
  }
}

async function rejectedLate(scene: TestRehearsal, id: string): Promise<void> {
  await scene.progress({ refund: 'manual' });
  await scene.moved(id, 'approve', 'receive', 'inspect', 'reject');
  await scene.progress({ refund: 'auto' });
}

test('Each cent of returned goods is refunded once', async () => {
  await fc.assert(
    fc.asyncProperty(aStory, async (story) => {
      await using scene = await newRehearsal({ returns: 'manual', carrier: 'immediate', warehouse: 'immediate' });
      const order = await delivered(scene, story);
      expect(order).toMatchObject({ state: 'completed' });
      for (const one of story.returns) await comesBack(scene, order, one);
      await scene.verify();
      const now: Order = await scene.order(order.id);
      const rest = now.lines.filter(({ qty, returnedQty }) => returnedQty < qty);
      const lines = rest.map(({ lineId, qty, returnedQty }) => ({ orderLineId: lineId, qty: qty - returnedQty, reason: 'all of it' }));
      if (lines.length > 0) {
        const { id } = await scene.api('create-return-api', { body: { orderId: order.id, locationId: STORE, lines } });
        await scene.moved(id, 'approve', 'receive', 'inspect');
      }
      const after: Order = await scene.order(order.id);
      const back = after.payments.reduce((sum, { refundedAmount }) => sum + refundedAmount.amount, 0);
      expect(back).toBe(order.totals.total.amount - order.totals.shipping.amount);
      await scene.verify();
    }),
    { numRuns: runsOf({ usually: 5, thoroughly: 12 }), endOnFailure: true },
  );
}, 240_000);
