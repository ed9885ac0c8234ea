import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id, PositiveMoney } from '../shapes.ts';
import { LoyaltyAccount, Redemption } from './objects.ts';

export const putLedgerEntry = defineInternalCall({
  id: 'put-ledger-entry',
  name: 'Put Ledger Entry',
  summary:
    'Type spend: a payment (the reference) spends a redemption. Type reverse: what a payment spent is given back, once per reference. Repeats change nothing.',
  domain: 'loyalty',
  type: 'command',
  application: 'loyalty-platform',
  method: 'PUT',
  path: '/internal/ledger-entries/{type}/{reference}',
  request: z.strictObject({
    redemptionId: Id.optional().describe('spend: which redemption.'),
    orderId: Id.optional().describe('spend: the order that it pays.'),
    paymentId: Id.optional().describe('reverse: whose spending is given back, when the reference is not that payment.'),
    amount: PositiveMoney.optional().describe(
      'spend: what the tender asks for, at most the value of the redemption. reverse: how much is given back; default all.',
    ),
  }),
  response: z.object({ account: LoyaltyAccount, redemption: Redemption.optional() }),
  problems: ['not_found', 'insufficient_points'],
  callers: ['payment-hub'],
});
