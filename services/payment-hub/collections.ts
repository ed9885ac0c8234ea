import { z } from 'zod';
import { Payable } from '../../shared/catalog/order/objects.ts';
import { Payment, payment } from '../../shared/catalog/payment/objects.ts';
import { PaymentToken } from '../../shared/catalog/payment/reference-data.ts';
import { Currency } from '../../shared/catalog/shapes.ts';
import { defineCollection, defineCounters } from '../../shared/store/collections.ts';

export const StoredPayment = Payment.extend({
  /** While pending: whose word is missing. */
  awaiting: z.enum(['provider-answer', 'provider-approval', 'loyalty-platform']).optional(),
  /** Reversed while it was pending, so an approval that still comes is voided at once. */
  voidOnApproval: z.literal(true).optional(),
  /** Taken at a till, which knows it: before the OMS has its order, only the POS can say whether it is wanted. */
  takenAt: z.literal('pos').optional(),
  /** Of a payment with points: whose order it pays, and from which basket that came. The redemption is compared with it. */
  purchase: Payable.pick({ basketId: true, customerId: true, loyaltyAccountId: true }).optional(),
});
export type StoredPayment = z.output<typeof StoredPayment>;

/** A payment as everybody else sees it. */
export const published = (stored: StoredPayment): z.output<typeof Payment> => Payment.parse(stored);

export const payments = defineCollection({
  name: 'payments',
  schema: StoredPayment,
  index: { order: ({ orderId }) => orderId },
  object: payment,
});

/** What may be paid for an order, by order id, in minor units: noted when somebody pays, so that `payable` is counted once. */
export const payableOrders = defineCollection({
  name: 'payable-orders',
  schema: z.object({ id: z.string(), version: z.int(), payable: z.int() }),
});

/** By order id, in minor units; what is paid back is not committed any more. Two payments at once cannot promise more than the order costs: the guard decides in the commit. */
export const orderCovers = defineCounters({
  name: 'order-covers',
  fields: ['payable', 'committed'],
  guards: { notOverpaid: { payable: 1, committed: -1 } },
});

/** What a return is worth, by its id: noted when somebody first pays with it or pays it back, so that `worth` is counted once. */
export const payableReturns = defineCollection({
  name: 'payable-returns',
  schema: z.object({ id: z.string(), version: z.int(), worth: z.int() }),
});

/**
 * By return, in minor units: what was refunded for it, and what exchange credits hold of it. Two at once cannot pay out more than it
 * is worth: the guard decides in the commit.
 */
export const returnCovers = defineCounters({
  name: 'return-covers',
  fields: ['worth', 'used'],
  guards: { notOverdrawn: { worth: 1, used: -1 } },
});

/** The simulated provider's answers to tokens that it knows, by token. */
export const paymentTokens = defineCollection({
  name: 'payment-tokens',
  schema: z.object({ id: z.string(), version: z.int(), rule: PaymentToken }),
});

/** Gift cards, by token; what they hold is counted apart, since many payments move it at once. */
export const giftCards = defineCollection({
  name: 'gift-cards',
  schema: z.object({ id: z.string(), version: z.int(), currency: Currency }),
});

/** By the gift card's token, in minor units. */
export const giftCardBalances = defineCounters({
  name: 'gift-card-balances',
  fields: ['balance'],
  guards: { notOverdrawn: { balance: 1 } },
});
