import { z } from 'zod';
import { LoyaltyAccount, loyaltyAccount } from '../../shared/catalog/loyalty/objects.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** What points are redeemed for: a basket, an order, or nothing yet, which is then known by the request that asked. */
export interface RedemptionPurpose {
  readonly basketId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly request?: string | undefined;
}

const Points = z.int().min(0);
/** Minor units. */
const Amount = z.int().min(0);

/** The ledger is part of the account: balance and entries change together or not at all. */
export const accounts = defineCollection({
  name: 'accounts',
  object: loyaltyAccount,
  schema: LoyaltyAccount,
  unique: { card: ({ cardNumber }) => cardNumber, customer: ({ customerId }) => customerId },
});

/** A refund of what an order was paid with, otherwise than by points. */
const EarningRefund = z.object({
  /** Payment and place among its refunds: what the reversal in the ledger is booked for. */
  id: z.string(),
  amount: Amount,
  /** Whether the ledger has answered it; until then it waits for the earn. */
  booked: z.boolean(),
});
export type EarningRefund = z.output<typeof EarningRefund>;

/**
 * What an order earns and what its refunds take back, by the order's id: an order earns once, whoever asks. One record for both, so
 * that a refund and the earn that come at once cannot miss each other. Without `earned` refunds came first and wait. `deducted`: refunds
 * that are not in the amount.
 */
export const earnings = defineCollection({
  name: 'earnings',
  schema: z.object({
    id: Id,
    version: z.int(),
    earned: z.object({ accountId: Id, points: Points, amount: Amount, deducted: z.array(z.string()) }).optional(),
    takenBack: Points,
    refunds: z.array(EarningRefund),
  }),
});
export type Earning = z.output<typeof earnings.schema>;

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
    /** Of one that names neither basket nor order: the request that asked for it. */
    request: z.string().optional(),
    points: Points,
    paymentId: Id.optional(),
    paidOrderId: Id.optional(),
    spentPoints: Points,
    reversedPoints: Points,
  }),
  unique: {
    reference: ({ state, accountId, ...purpose }) => (state === 'returned' ? undefined : referenceOf(accountId, purpose)),
    payment: ({ paymentId }) => paymentId,
  },
});

/** What a member redeems for: one redemption at a time for each basket, each order, and each request that names neither. */
export function referenceOf(accountId: string, { basketId, orderId, request }: RedemptionPurpose): string {
  if (orderId !== undefined) return `${accountId}|order|${orderId}`;
  return basketId === undefined ? `${accountId}|request|${request}` : `${accountId}|basket|${basketId}`;
}

/** What was given back, by the reference under which it was asked for. */
export const reversals = defineCollection({
  name: 'reversals',
  schema: z.object({ id: z.string(), version: z.int(), paymentId: Id, points: Points }),
  index: { payment: ({ paymentId }) => paymentId },
});
