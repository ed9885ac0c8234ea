import { z } from 'zod';
import { defineApi } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { exactlyOne, Id, Points, PositiveMoney, pageOf, queryInteger, typedText } from '../shapes.ts';
import { CardNumber, LedgerEntry, LoyaltyAccount, RedeemedPoints } from './objects.ts';

export const getMemberBalance = defineApi({
  id: 'get-member-balance-api',
  summary: 'Returns points balance, tier and next tier threshold of a member, by account id or card number.',
  application: 'loyalty-platform',
  path: '/members/{id}/balance',
  response: LoyaltyAccount,
  problems: ['not_found', 'dependency_unavailable'],
});

export const listLedgerEntries = defineApi({
  id: 'list-ledger-entries-api',
  summary: 'Returns the ledger of a member in pages, oldest entry first, by account id or card number.',
  application: 'loyalty-platform',
  path: '/members/{id}/ledger',
  query: z.strictObject({
    limit: queryInteger(1, 100).default(20).describe('Entries per page. Default: 20.'),
    cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous page.'),
  }),
  response: pageOf(LedgerEntry),
  problems: ['not_found'],
  addition: true,
});

export const earnPoints = defineApi({
  id: 'earn-points-api',
  summary:
    'Books the points of a completed order, one per full 1.00 by default. A completed order books its points itself; they are booked once.',
  type: 'command',
  application: 'loyalty-platform',
  method: 'POST',
  path: '/members/{id}/earn',
  request: z.strictObject({
    orderId: Id,
    amount: PositiveMoney.describe('The earningAmount of the order: delivered goods less the part paid with points or an exchange credit.'),
  }),
  response: LoyaltyAccount,
  status: 201,
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
  shapes: 'our choice',
});

export const redeemPoints = defineApi({
  id: 'redeem-points-api',
  summary:
    'Turns points into a redemption that pays for a basket or an order. The payment checks that the basket or order exists and belongs to the member. Points return to the balance if the redemption is not spent in time, within 15 minutes by default.',
  type: 'command',
  application: 'loyalty-platform',
  method: 'POST',
  path: '/members/{id}/redeem',
  request: exactlyOne(z.strictObject({ points: Points, basketId: Id.optional(), orderId: Id.optional() }), ['basketId', 'orderId']),
  response: RedeemedPoints,
  status: 201,
  problems: ['not_found', 'insufficient_points', 'conflicting_repeat'],
  shapes: 'our choice',
});

export const enrollLoyaltyMember = defineApi({
  id: 'enroll-loyalty-member-api',
  summary: 'Enrols a customer as a member. The Loyalty Platform opens the account, and the CRM links it to the customer.',
  domain: 'loyalty',
  type: 'command',
  application: 'crm',
  method: 'POST',
  path: '/loyalty/members',
  request: z.strictObject({ customerId: Id, cardNumber: CardNumber.optional().describe('Default: a new number.') }),
  response: LoyaltyAccount,
  status: 201,
  problems: ['not_found', 'already_enrolled', 'customer_blocked', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

export const issueLoyaltyPoints = defineApi({
  id: 'issue-loyalty-points-api',
  summary: 'Grants goodwill points to a member, once per reference. The Loyalty Platform owns the ledger.',
  domain: 'loyalty',
  type: 'command',
  application: 'crm',
  method: 'POST',
  path: '/loyalty/accounts/{id}/points',
  request: z.strictObject({
    points: Points,
    reason: typedText(200),
    reference: Id.optional().describe('A repeat with the same reference grants nothing.'),
  }),
  response: LoyaltyAccount,
  status: 201,
  problems: ['not_found', 'conflicting_repeat', ...dependencyProblems],
  shapes: 'our choice',
});

export const redeemLoyaltyPoints = defineApi({
  id: 'redeem-loyalty-points-api',
  summary:
    'Turns points into a redemption. The payment checks that the order exists and belongs to the member. Points return to the balance if the redemption is not spent in time, within 15 minutes by default. The Loyalty Platform owns the ledger.',
  domain: 'loyalty',
  type: 'command',
  application: 'crm',
  method: 'POST',
  path: '/loyalty/accounts/{id}/redemptions',
  request: z.strictObject({ points: Points, orderId: Id.optional() }),
  response: RedeemedPoints,
  status: 201,
  problems: ['not_found', 'insufficient_points', 'conflicting_repeat', ...dependencyProblems],
  shapes: 'our choice',
});

export const loyaltyApis = [
  getMemberBalance,
  listLedgerEntries,
  enrollLoyaltyMember,
  issueLoyaltyPoints,
  redeemLoyaltyPoints,
  earnPoints,
  redeemPoints,
] as const;
