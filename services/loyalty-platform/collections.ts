import { z } from 'zod';
import { LoyaltyAccount, loyaltyAccount } from '../../shared/catalog/loyalty/objects.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

const Points = z.int().min(0);

/** The ledger is part of the account: balance and entries change together or not at all. */
export const accounts = defineCollection({
  name: 'accounts',
  object: loyaltyAccount,
  schema: LoyaltyAccount,
  unique: { card: ({ cardNumber }) => cardNumber, customer: ({ customerId }) => customerId },
});

/** Points of an order, by the order's id: an order earns once, whoever asks. */
export const earnings = defineCollection({
  name: 'earnings',
  schema: z.object({ id: Id, version: z.int(), accountId: Id, points: Points }),
});

/**
 * Points turned into money. `open` waits to be spent, `spent` paid for something, `returned` gave all its points back and frees its
 * reference for another one.
 */
export const redemptions = defineCollection({
  name: 'redemptions',
  schema: z.object({
    id: Id,
    version: z.int(),
    state: z.enum(['open', 'spent', 'returned']),
    accountId: Id,
    basketId: Id.optional(),
    orderId: Id.optional(),
    points: Points,
    paymentId: Id.optional(),
    paidOrderId: Id.optional(),
    spentPoints: Points,
    reversedPoints: Points,
  }),
  unique: {
    reference: ({ state, accountId, basketId, orderId }) =>
      state === 'returned' ? undefined : referenceOf(accountId, { basketId, orderId }),
    payment: ({ paymentId }) => paymentId,
  },
});

/** What a member redeems for: one redemption at a time for each basket and each order. */
export const referenceOf = (
  accountId: string,
  { basketId, orderId }: { readonly basketId?: string | undefined; readonly orderId?: string | undefined },
): string => (orderId === undefined ? `${accountId}|basket|${basketId}` : `${accountId}|order|${orderId}`);

/** What was given back, by the reference under which it was asked for. */
export const reversals = defineCollection({
  name: 'reversals',
  schema: z.object({ id: z.string(), version: z.int(), paymentId: Id, points: Points }),
  index: { payment: ({ paymentId }) => paymentId },
});
