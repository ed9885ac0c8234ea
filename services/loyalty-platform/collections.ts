import { z } from 'zod';
import { LedgerEntry, LoyaltyAccount, loyaltyAccount, RedemptionState } from '../../shared/catalog/loyalty/objects.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** The purpose of a redemption: its basket or order, or otherwise the request that redeemed the points. */
export interface RedemptionPurpose {
  readonly basketId?: string;
  readonly orderId?: string;
  readonly request?: string;
}

const Points = z.int().min(0);
/** Minor units. */
const Amount = z.int().min(0);

/** An account shows only its newest entries: each change stores and publishes the whole account. */
export const accounts = defineCollection({
  name: 'accounts',
  object: loyaltyAccount,
  schema: LoyaltyAccount,
  unique: { card: ({ cardNumber }) => cardNumber, customer: ({ customerId }) => customerId },
});

/**
 * The ledgers: one object per entry, sorted by booking. Account and entry change in one commit. The id is the account's with the
 * number of the entry. A reference grants points to an account once, even if the entry is old.
 */
export const ledgerEntries = defineCollection({
  name: 'ledger-entries',
  schema: LedgerEntry.extend({ id: z.string(), version: z.int(), accountId: Id }),
  unique: {
    issue: ({ accountId, type, reference }) => (type === 'issue' && reference !== undefined ? issueKey(accountId, reference) : undefined),
  },
  index: { account: ({ accountId }) => accountId },
});

export const ledgerEntryId = (accountId: string, number: number): string => `${accountId}.${number}`;

export const issueKey = (accountId: string, reference: string): string => `${accountId}|${reference}`;

/** A refund or a lost dispute of a payment that was not made by points. */
const EarningRefund = z.object({
  /** Payment and position among its refunds: the `reference` of the reversal in the ledger. */
  id: z.string(),
  amount: Amount,
  /** Whether the goods came back. The order then keeps less goods, and not only less money. */
  ofReturn: z.literal(true).optional(),
  /** Whether its points were taken back; false until the order has earned points. */
  booked: z.boolean(),
});
export type EarningRefund = z.output<typeof EarningRefund>;

/**
 * The points that an order earned and that its refunds took back, by the order's id. One record has both, so that a concurrent refund and
 * earning conflict. While `earned` is absent, the refunds wait. `overpaid` is
 * what the payments kept beyond the amount. `deducted` are the refunds that are already subtracted from both.
 */
export const earnings = defineCollection({
  name: 'earnings',
  schema: z.object({
    id: Id,
    version: z.int(),
    earned: z
      .object({ accountId: Id, points: Points, amount: Amount, overpaid: Amount.optional(), deducted: z.array(z.string()) })
      .optional(),
    takenBack: Points,
    refunds: z.array(EarningRefund),
  }),
});
export type Earning = z.output<typeof earnings.schema>;

/** Points turned into money: `open`, `spent` by a payment, or `returned` to the balance as a whole, which frees its reference. */
export const redemptions = defineCollection({
  name: 'redemptions',
  schema: z.object({
    id: Id,
    version: z.int(),
    state: RedemptionState,
    accountId: Id,
    basketId: Id.optional(),
    orderId: Id.optional(),
    /** The request that redeemed the points, when it names neither basket nor order. */
    request: z.string().optional(),
    points: Points,
    paymentId: Id.optional(),
    paidOrderId: Id.optional(),
    /** Minor units that its payment took, and minor units that came back. */
    paidAmount: z.int().min(0),
    returnedAmount: z.int().min(0),
  }),
  unique: {
    reference: ({ state, accountId, ...purpose }) => (state === 'returned' ? undefined : referenceOf(accountId, purpose)),
    payment: ({ paymentId }) => paymentId,
  },
});

/** One redemption at a time per basket, per order, and per request that names neither. */
export function referenceOf(accountId: string, { basketId, orderId, request }: RedemptionPurpose): string {
  if (orderId !== undefined) return `${accountId}|order|${orderId}`;
  return basketId === undefined ? `${accountId}|request|${request}` : `${accountId}|basket|${basketId}`;
}

/** Points given back to a payment's redemption, by the reference of the request. */
export const reversals = defineCollection({
  name: 'reversals',
  schema: z.object({ id: z.string(), version: z.int(), paymentId: Id, points: Points }),
  index: { payment: ({ paymentId }) => paymentId },
});
