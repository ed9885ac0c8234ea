import { z } from 'zod';
import { changeOf, membersOfForms } from '../changes.ts';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { Id, PositiveMoney, typedText } from '../shapes.ts';
import { DisputeOutcome, DisputeReason } from './disputes.ts';
import { Payment } from './objects.ts';
import { GiftCard, PaymentToken } from './reference-data.ts';

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
  request: z.strictObject({ reason: typedText(200).optional() }),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  callers: ['oms', 'pos'],
});

export const lowerAuthorization = defineInternalCall({
  id: 'lower-authorization',
  summary: 'Lowers an authorisation to an amount, because its order costs less. A repeat changes nothing.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/internal/payments/{id}/lower',
  request: z.strictObject({ amount: PositiveMoney }),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['oms'],
  addition: true,
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

export const ActionOutcome = z.enum(['succeeded', 'failed']);

export const completePaymentAction = defineInternalCall({
  id: 'complete-payment-action',
  summary: 'The customer authenticates a payment, or rejects it. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/internal/payments/{id}/action',
  request: z.strictObject({
    outcome: ActionOutcome,
    token: z.string().max(200).optional().describe('From the address of the page. Without it, a tester decides.'),
  }),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

export const readPaymentAction = defineInternalCall({
  id: 'read-payment-action',
  summary: 'Returns a payment to the page where its customer authenticates it. Only the control plane calls it.',
  type: 'query',
  application: 'payment-hub',
  method: 'POST',
  path: '/internal/payments/{id}/action/view',
  request: z.strictObject({ token: z.string().max(200) }),
  response: z.object({ payment: Payment, returnUrl: z.string().optional() }),
  problems: ['not_found'],
  callers: [],
});

export const changeGiftCard = defineInternalCall({
  id: 'change-gift-card',
  summary:
    'Sets the balance of a gift card, or creates it. The path has its token. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'payment-hub',
  method: 'PUT',
  path: '/internal/gift-cards/{id}',
  request: changeOf(GiftCard.shape, ['token']),
  response: GiftCard,
  callers: [],
});

export const changePaymentToken = defineInternalCall({
  id: 'change-payment-token',
  summary:
    'Changes the outcome of a token at the simulated provider by merge patch, or creates it. The path has the token. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'payment-hub',
  method: 'PUT',
  path: '/internal/payment-tokens/{id}',
  request: changeOf(membersOfForms(PaymentToken), ['token']),
  response: z.object({ rule: PaymentToken }),
  callers: [],
});

export const paymentInternalCalls = [
  listPayments,
  reversePayment,
  lowerAuthorization,
  disputePayment,
  decideDispute,
  completePaymentAction,
  readPaymentAction,
  changeGiftCard,
  changePaymentToken,
] as const;
