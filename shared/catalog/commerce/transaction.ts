import { z } from 'zod';
import { Order } from '../order/objects.ts';
import { Payment } from '../payment/objects.ts';
import { Id, Instant, Money } from '../shapes.ts';
import { Basket, BasketLine, Totals } from './objects.ts';

/** State of a checkout at the till. A transaction is not a business object; its basket, payments and order are. */
export const TransactionState = z
  .enum(['open', 'paid', 'completed', 'voided'])
  .meta({ id: 'TransactionState', description: 'paid: fully paid, but the OMS has not completed the order yet.' });

export const OutstandingInCash = Money.optional().describe(
  'Our addition: what is left to pay if cash closes the sale, in whole coins. Present while something is left, if the retailer rounds cash.',
);

export const Receipt = z
  .object({
    number: z.string().describe('Store, lane, day in the time zone of the store, and sequence number of the sale on that day.'),
    lines: z.array(
      BasketLine.pick({ sku: true, qty: true, unitPrice: true, discount: true, taxRate: true, lineTotal: true }).extend({
        tax: Money.optional().describe('Our addition: tax that is added to the line. Absent if prices include tax.'),
      }),
    ),
    tenders: z.array(
      z.object({
        paymentId: Id,
        type: Payment.shape.tender.shape.type,
        last4: z.string().optional(),
        amount: Money.describe('The amount that the tender pays; if captured, less its refunds. All tenders add up to the total.'),
        givenBack: Money.optional().describe(
          'Our addition. What was refunded of the tender, or not captured, before the receipt. Amount, givenBack, rounding and change of cash add up to tendered. Absent if nothing was.',
        ),
        tendered: Payment.shape.tendered,
        change: Payment.shape.change,
        rounding: Payment.shape.rounding,
      }),
    ),
    rounding: Money.optional().describe(
      'Our addition: the rounding of its cash. The customer paid the total and this amount, which may be negative. Absent if it is zero.',
    ),
    totals: Totals,
    issuedAt: Instant,
  })
  .meta({ id: 'Receipt' });

/** A checkout at the till, as the POS returns it to other applications. Its order has the same id. */
export const Transaction = z
  .object({
    id: Id,
    state: TransactionState,
    storeId: Id,
    laneId: Id,
    basket: Basket.describe('The basket at the time it was locked.'),
    total: Money,
    paymentIds: z.array(Id).describe('Its tenders, oldest first. Any other payment at the Payment Hub for this checkout is an orphan.'),
    customerId: Order.shape.customerId,
    loyaltyAccountId: Order.shape.loyaltyAccountId,
  })
  .meta({ id: 'Transaction' });
