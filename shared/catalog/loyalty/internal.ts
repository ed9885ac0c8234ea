import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id, Points, PositiveMoney } from '../shapes.ts';
import { CardNumber, LoyaltyAccount, Redemption } from './objects.ts';

const Purchase = z
  .strictObject({ basketId: Id.optional(), customerId: Id.optional(), loyaltyAccountId: Id.optional() })
  .describe('spend: whose order is paid, and from which basket it came; a redemption pays nothing else than what it was made for.');

export const putLedgerEntry = defineInternalCall({
  id: 'put-ledger-entry',
  name: 'Put Ledger Entry',
  summary:
    'Type issue: points are granted to an account. Type redeem: points become a redemption. Type spend: a payment (the reference) spends a redemption. Type reverse: what a payment spent is given back, once per reference. A repeat changes nothing; one that asks for something else is refused.',
  domain: 'loyalty',
  type: 'command',
  application: 'loyalty-platform',
  method: 'PUT',
  path: '/internal/ledger-entries/{type}/{reference}',
  request: z.strictObject({
    accountId: Id.optional().describe('issue, redeem: account id or card number.'),
    points: Points.optional().describe('issue, redeem: how many.'),
    reason: z.string().min(1).max(200).optional().describe('issue: what for.'),
    redemptionId: Id.optional().describe('spend: which redemption.'),
    orderId: Id.optional().describe('spend: the order that it pays. redeem: what it is meant for.'),
    purchase: Purchase.optional(),
    paymentId: Id.optional().describe('reverse: whose spending is given back, when the reference is not that payment.'),
    amount: PositiveMoney.optional().describe(
      'spend: what the tender asks for, at most the value of the redemption. reverse: how much is given back; default all.',
    ),
  }),
  response: z.object({
    account: LoyaltyAccount,
    redemption: Redemption.optional(),
    repeated: z.boolean().optional().describe('issue, redeem: it had been booked before.'),
  }),
  problems: ['not_found', 'insufficient_points', 'redemption_not_applicable', 'conflicting_repeat'],
  callers: ['payment-hub', 'crm'],
});

export const putMember = defineInternalCall({
  id: 'put-member',
  name: 'Put Member',
  summary: 'Opens the loyalty account of a customer; each has one.',
  domain: 'loyalty',
  type: 'command',
  application: 'loyalty-platform',
  method: 'PUT',
  path: '/internal/members/{customerId}',
  request: z.strictObject({ cardNumber: CardNumber.optional().describe('Default: a new one.') }),
  response: LoyaltyAccount,
  problems: ['already_enrolled'],
  callers: ['crm'],
});
