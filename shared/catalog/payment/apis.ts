import { z } from 'zod';
import { defineApi } from '../define.ts';
import { Payable } from '../order/objects.ts';
import { Id, PositiveMoney } from '../shapes.ts';
import { Payment, TenderType } from './objects.ts';

/** How a caller wants to pay. */
export const Tender = z
  .strictObject({ type: TenderType, token: z.string().min(1).max(128).optional() })
  .refine((tender) => tender.type === 'bnpl' || tender.token !== undefined, { path: ['token'], error: 'This tender needs a token.' })
  .meta({ id: 'Tender', description: 'token: of the card, the gift card or the redemption; bnpl needs none.' });

const AuthorizeRequest = z.strictObject({
  orderId: Id,
  tender: Tender,
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
  serviceRequest: AuthorizeRequest.extend({ payable: Payable.optional() }),
  response: Payment,
  status: 201,
  emits: ['payment-authorized'],
  problems: [
    'not_found',
    'payment_declined',
    'overpayment',
    'invalid_state_transition',
    'dependency_unavailable',
    'dependency_timeout',
    'dependency_error',
  ],
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
  problems: ['not_found', 'invalid_state_transition', 'dependency_unavailable', 'dependency_timeout', 'dependency_error'],
  shapes: 'our choice',
});

const RefundRequest = z.strictObject({ amount: PositiveMoney, reason: z.string().min(1).max(200).optional() });

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
  }),
  response: Payment,
  status: 201,
  problems: [
    'not_found',
    'invalid_state_transition',
    'refund_exceeds_captured',
    'dependency_unavailable',
    'dependency_timeout',
    'dependency_error',
  ],
  shapes: 'our choice',
});
