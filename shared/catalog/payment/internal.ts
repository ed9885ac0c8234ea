import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { Id, PositiveMoney } from '../shapes.ts';
import { DisputeOutcome, DisputeReason } from './disputes.ts';
import { Payment } from './objects.ts';

export const listPayments = defineInternalCall({
  id: 'list-payments',
  summary: 'Returns all payments of an order, in order of creation.',
  application: 'payment-hub',
  path: '/internal/payments',
  query: z.strictObject({ orderId: Id }),
  response: z.object({ items: z.array(Payment) }),
  callers: ['oms', 'pos'],
});

export const reversePayment = defineInternalCall({
  id: 'reverse-payment',
  summary: 'Voids an authorisation, or refunds the rest of a captured payment, depending on its state. A repeat changes nothing.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/internal/payments/{id}/reverse',
  request: z.strictObject({ reason: z.string().min(1).max(200).optional() }),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  callers: ['oms', 'pos'],
});

export const disputePayment = defineInternalCall({
  id: 'dispute-payment',
  summary: 'Opens a dispute of a captured payment. Only the control plane calls it, in the role of the bank of the cardholder.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/internal/payments/{id}/dispute',
  request: z.strictObject({
    reason: DisputeReason,
    amount: PositiveMoney.optional().describe('Default: all that is captured and neither refunded nor lost in a dispute.'),
  }),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition', 'limit_reached'],
  callers: [],
});

export const decideDispute = defineInternalCall({
  id: 'decide-dispute',
  summary: 'Decides the open dispute of a payment. Only the control plane calls it, in the role of the bank of the cardholder.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/internal/payments/{id}/dispute/outcome',
  request: z.strictObject({ outcome: DisputeOutcome }),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

export const paymentInternalCalls = [listPayments, reversePayment, disputePayment, decideDispute] as const;
