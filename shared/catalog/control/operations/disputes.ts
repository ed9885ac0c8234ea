import { decideDispute, disputePayment } from '../../payment/internal.ts';
import { Payment } from '../../payment/objects.ts';
import { defineOperation } from '../define-operation.ts';

export const openDispute = defineOperation({
  id: 'open-dispute',
  summary: 'Plays the bank of a cardholder: disputes a captured payment by card or bnpl. The amount and a fee are withdrawn.',
  method: 'POST',
  path: '/_control/payments/{id}/dispute',
  request: disputePayment.request,
  response: Payment,
  problems: disputePayment.problems,
});

export const closeDispute = defineOperation({
  id: 'close-dispute',
  summary: 'Plays the bank of a cardholder: decides the open dispute of a payment, which the retailer wins or loses.',
  method: 'POST',
  path: '/_control/payments/{id}/dispute/outcome',
  request: decideDispute.request,
  response: Payment,
  problems: decideDispute.problems,
});

export const disputeOperations = [openDispute, closeDispute] as const;
