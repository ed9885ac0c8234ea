import { z } from 'zod';
import { Receipt, TransactionState } from '../commerce/transaction.ts';
import { defineApi } from '../define.ts';
import { Payable } from '../order/objects.ts';
import { dependencyProblems } from '../problems.ts';
import { Id, Money, PositiveMoney } from '../shapes.ts';
import { Payment } from './objects.ts';
import { DigitalTender, Tender, TillTender } from './tender.ts';

const AuthorizeRequest = z.strictObject({
  orderId: Id,
  tender: DigitalTender,
  amount: PositiveMoney.optional().describe('Default: what is still outstanding.'),
});

export const authorizePayment = defineApi({
  id: 'authorize-payment-api',
  name: 'Authorize Payment',
  summary: 'Has the provider pre-authorise an amount for an order; several tenders may share the total.',
  domain: 'payment',
  type: 'command',
  application: 'payment-hub',
  auth: 'bearer',
  method: 'POST',
  path: '/payments/authorizations',
  request: AuthorizeRequest,
  // The POS takes cash, and asks for orders that the OMS does not know yet; the OMS pays an exchange with what came back.
  serviceRequest: AuthorizeRequest.extend({
    tender: Tender,
    payable: Payable.optional(),
    returnId: Id.optional().describe('exchange-credit: whose value pays.'),
  }),
  response: Payment,
  status: 201,
  emits: ['payment-authorized'],
  problems: ['not_found', 'payment_declined', 'overpayment', 'invalid_state_transition', ...dependencyProblems],
});

export const capturePayment = defineApi({
  id: 'capture-payment-api',
  name: 'Capture Payment',
  summary: 'Transfers an authorised amount, or a part of it, once; what is not captured is let go.',
  domain: 'payment',
  type: 'action',
  application: 'payment-hub',
  auth: 'bearer',
  method: 'POST',
  path: '/payments/authorizations/{id}/capture',
  request: z.strictObject({ amount: PositiveMoney.optional().describe('Default: all that is authorised.') }),
  response: Payment,
  emits: ['payment-captured'],
  problems: ['not_found', 'invalid_state_transition', 'capture_exceeds_authorized'],
});

export const voidPayment = defineApi({
  id: 'void-payment-api',
  name: 'Void Payment',
  summary: 'Reverses an authorisation that has not been captured.',
  domain: 'payment',
  type: 'action',
  application: 'payment-hub',
  auth: 'bearer',
  method: 'POST',
  path: '/payments/authorizations/{id}/void',
  response: Payment,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

const RefundRequest = z.strictObject({
  amount: PositiveMoney,
  reason: z.string().min(1).max(200).optional(),
  returnId: Id.optional().describe('The return that it is paid for: all refunds of a return together are at most its refundAmount.'),
});

export const refundPayment = defineApi({
  id: 'refund-payment-api',
  name: 'Refund Payment',
  summary: 'Pays back a part of what was captured. Each call is a refund of its own: send an Idempotency-Key.',
  domain: 'payment',
  type: 'command',
  application: 'payment-hub',
  auth: 'bearer',
  method: 'POST',
  path: '/payments/{id}/refunds',
  request: RefundRequest,
  serviceRequest: RefundRequest.extend({
    reference: z.string().min(1).max(200).optional().describe('Repeated with the same one, the payment is answered as it is.'),
    payable: Payable.optional().describe('Sent by the OMS itself, which is not asked back.'),
  }),
  response: Payment,
  status: 201,
  problems: ['not_found', 'invalid_state_transition', 'refund_exceeds_captured', ...dependencyProblems],
  shapes: 'our choice',
});

export const addPayment = defineApi({
  id: 'add-payment-api',
  name: 'Add Payment',
  summary:
    'Adds a tender to a checkout at the till; several may share the total. With nothing left to pay the till submits the order by itself.',
  domain: 'payment',
  type: 'command',
  application: 'pos',
  auth: 'bearer',
  method: 'POST',
  path: '/transactions/{id}/payment',
  request: z.strictObject({ tender: TillTender, amount: PositiveMoney }),
  response: Payment.extend({
    outstanding: Money.describe('What is left to pay.'),
    transactionState: TransactionState,
    orderSubmission: z
      .enum(['none', 'queued', 'accepted'])
      .describe('queued: paid, and the OMS could not be reached; the till submits it as soon as it can.'),
    receipt: Receipt.optional().describe('Once everything is paid.'),
  }).meta({ id: 'TransactionPayment' }),
  status: 201,
  emits: ['payment-authorized'],
  problems: ['not_found', 'payment_declined', 'overpayment', 'invalid_state_transition', ...dependencyProblems],
});
