import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id, Points, PositiveMoney, typedText } from '../shapes.ts';
import { CardNumber, LoyaltyAccount, Redemption } from './objects.ts';

const Purchase = z
  .strictObject({ basketId: Id.optional(), customerId: Id.optional(), loyaltyAccountId: Id.optional() })
  .describe('spend: owner and basket of the paid order. A redemption pays only for its purchase.');

export const putLedgerEntry = defineInternalCall({
  id: 'put-ledger-entry',
  summary:
    'Books an entry in the ledger. issue: grants points to an account. redeem: turns points into a redemption. spend: the payment in the reference spends a redemption. reverse: returns points that a payment spent, once per reference. A repeat changes nothing; a repeat with other values is refused.',
  type: 'command',
  application: 'loyalty-platform',
  method: 'PUT',
  path: '/internal/ledger-entries/{type}/{reference}',
  ifMatchOn: 'accountId',
  request: z.strictObject({
    accountId: Id.optional().describe('issue, redeem: account id or card number.'),
    points: Points.optional().describe('issue, redeem: number of points.'),
    reason: typedText(200).optional().describe('issue: why points are granted.'),
    redemptionId: Id.optional().describe('spend: the redemption.'),
    orderId: Id.optional().describe('spend: the paid order. redeem: the order to be paid.'),
    purchase: Purchase.optional(),
    paymentId: Id.optional().describe('reverse: the payment that spent the points, if it is not the reference.'),
    amount: PositiveMoney.optional().describe(
      'spend: amount of the tender, at most the value of the redemption. reverse: amount to return. Default: all.',
    ),
  }),
  response: z.object({
    account: LoyaltyAccount,
    redemption: Redemption.optional(),
    repeated: z.boolean().optional().describe('issue, redeem: the entry was already booked.'),
  }),
  problems: ['not_found', 'insufficient_points', 'redemption_not_applicable', 'conflicting_repeat'],
  callers: ['payment-hub', 'crm'],
});

export const putMember = defineInternalCall({
  id: 'put-member',
  summary: 'Opens the loyalty account of a customer. Each customer has at most one.',
  type: 'command',
  application: 'loyalty-platform',
  method: 'PUT',
  path: '/internal/members/{customerId}',
  request: z.strictObject({ cardNumber: CardNumber.optional().describe('Default: a new number.') }),
  response: LoyaltyAccount,
  problems: ['already_enrolled'],
  callers: ['crm'],
});

export const loyaltyInternalCalls = [putLedgerEntry, putMember] as const;
