import { z } from 'zod';
import { Currency } from '../../shared/catalog/currency.ts';
import { Payable } from '../../shared/catalog/order/objects.ts';
import { Payment, payment } from '../../shared/catalog/payment/objects.ts';
import { PaymentToken } from '../../shared/catalog/payment/reference-data.ts';
import { Id, Money } from '../../shared/catalog/shapes.ts';
import { defineCollection, defineCounters, publishedBy } from '../../shared/store/collections.ts';

export const StoredPayment = Payment.extend({
  /** Whether the request accepts an approval of a part of the amount. */
  acceptPartial: z.boolean().optional(),
  /** Where the page of `nextAction` sends the customer. */
  returnUrl: z.string().optional(),
  /** The missing answer, while the payment is pending. */
  awaiting: z.enum(['provider-answer', 'provider-approval', 'loyalty-platform']).optional(),
  /** Whether the payment was reversed while it was pending. A later approval is then voided immediately. */
  voidOnApproval: z.literal(true).optional(),
  /** Whether the payment was reversed while a dispute was open. The remaining amount is refunded after the decision. */
  refundWhenDecided: z.literal(true).optional(),
  /** Whether the payment was taken at a till. Until the OMS has the order, only the POS stores whether the payment is needed. */
  takenAt: z.literal('pos').optional(),
  /** The amount that the tender of a declined payment could pay. */
  available: Money.optional(),
  /** The returned order, whose value an exchange credit uses. */
  returnedOrderId: Id.optional(),
  /** The owner and the basket of an order that is paid with points. The redemption must match them. */
  purchase: Payable.pick({ basketId: true, customerId: true, loyaltyAccountId: true }).optional(),
});
export type StoredPayment = z.output<typeof StoredPayment>;

/** A payment without the private members of the Payment Hub. */
export const published = publishedBy(Payment);

/** Provider and reference of an external payment, which have no blanks. Undefined for other tenders. */
export const externalKey = ({ provider, reference }: Pick<StoredPayment['tender'], 'provider' | 'reference'>): string | undefined =>
  provider === undefined || reference === undefined ? undefined : `${provider} ${reference}`;

export const payments = defineCollection({
  name: 'payments',
  schema: StoredPayment,
  index: { order: ({ orderId }) => orderId },
  // A payment that moved no money, or gave all of it back before the capture, may be noted again.
  unique: { external: ({ tender, state }) => (state === 'voided' || state === 'failed' ? undefined : externalKey(tender)) },
  object: payment,
});

/**
 * The part of `payable` that the counters already contain, by order id, in minor units. `sequence` numbers the refunds of the order, their
 * results and its decided disputes.
 */
export const payableOrders = defineCollection({
  name: 'payable-orders',
  schema: z.object({ id: z.string(), version: z.int(), payable: z.int(), sequence: z.int().optional() }),
});

/**
 * Counters by order id, in minor units. A refund lowers `committed`. `exchanged` is the part of it that pays for exchange orders of its
 * returns. `payments` counts the payments of the order in any state. The guards are checked in the commit: concurrent payments together
 * never exceed the order, and nothing is both refunded and exchanged.
 */
export const orderCovers = defineCounters({
  name: 'order-covers',
  fields: ['payable', 'committed', 'exchanged', 'payments'],
  guards: { notOverpaid: { payable: 1, committed: -1 }, notPaidBackTwice: { committed: 1, exchanged: -1 } },
});

/** The part of `worth` that the counters already contain, by return id, in minor units. */
export const payableReturns = defineCollection({
  name: 'payable-returns',
  schema: z.object({ id: z.string(), version: z.int(), worth: z.int() }),
});

/** Counters by return id, in minor units. Refunds and credits raise `used`; the guard keeps concurrent ones within the return. */
export const returnCovers = defineCounters({
  name: 'return-covers',
  fields: ['worth', 'used'],
  guards: { notOverdrawn: { worth: 1, used: -1 } },
});

/** The simulated provider's answers, by token. */
export const paymentTokens = defineCollection({
  name: 'payment-tokens',
  reference: true,
  schema: z.object({ id: z.string(), version: z.int(), rule: PaymentToken }),
});

/** Gift cards, by token. Their balances are counters, because concurrent payments may change one. */
export const giftCards = defineCollection({
  name: 'gift-cards',
  schema: z.object({ id: z.string(), version: z.int(), currency: Currency }),
});

/** Balances in minor units, by the gift card's token. `noted` is what changes by the control plane have added since the seed. */
export const giftCardBalances = defineCounters({
  name: 'gift-card-balances',
  fields: ['balance', 'noted'],
  signed: ['noted'],
  guards: { notOverdrawn: { balance: 1 } },
});
