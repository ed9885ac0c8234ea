import { z } from 'zod';
import { OutstandingInCash, Receipt, TransactionState } from '../commerce/transaction.ts';
import { defineApi } from '../define.ts';
import { Payable } from '../order/objects.ts';
import { dependencyProblems } from '../problems.ts';
import { createMembers, Id, Money, PositiveMoney, Reference, typedText, withRules } from '../shapes.ts';
import { Payment, PayOutTender } from './objects.ts';
import { DigitalTender, Tender, TillTender } from './tender.ts';

const acceptPartial = z
  .boolean()
  .optional()
  .describe(
    'Default: false. With true, a card or gift card that can pay only a part is authorised for it: authorizedAmount is below amount, and another tender pays the rest.',
  );

const ReturnUrl = z
  .url({ protocol: /^https?$/, error: 'Must be an address that begins with http:// or https://.' })
  .max(2_000)
  .describe('Where the page of nextAction sends the customer after the decision, with payment_id and state in the query.');

const AuthorizeRequest = z.strictObject({
  orderId: Id,
  tender: DigitalTender,
  amount: PositiveMoney.optional().describe('Default: the outstanding amount.'),
  acceptPartial,
  returnUrl: ReturnUrl.optional(),
  ...createMembers,
});

export const authorizePayment = defineApi({
  id: 'authorize-payment-api',
  summary: 'Pre-authorises an amount for an order with the provider. Several tenders may share the total.',
  type: 'command',
  application: 'payment-hub',
  method: 'POST',
  path: '/payments/authorizations',
  request: AuthorizeRequest,
  // The POS takes cash, and pays for orders that the OMS does not have yet. The OMS pays for an exchange with the value of a return.
  serviceRequest: AuthorizeRequest.extend({
    tender: Tender,
    payable: Payable.optional(),
    returnId: Id.optional().describe('exchange-credit: the return whose value pays.'),
    transactionId: Id.optional().describe('Sent by the POS for an order that is collected.'),
  }),
  response: Payment,
  status: 201,
  emits: ['payment-authorized'],
  problems: [
    'not_found',
    'payment_declined',
    'overpayment',
    'invalid_state_transition',
    'conflicting_repeat',
    'limit_reached',
    ...dependencyProblems,
  ],
});

export const capturePayment = defineApi({
  id: 'capture-payment-api',
  summary: 'Captures an authorised amount in full or in part, once. The rest of the authorisation is released.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/payments/authorizations/{id}/capture',
  request: z.strictObject({ amount: PositiveMoney.optional().describe('Default: the authorised amount.') }),
  response: Payment,
  emits: ['payment-captured'],
  problems: ['not_found', 'payment_declined', 'invalid_state_transition', 'capture_exceeds_authorized'],
});

export const voidPayment = defineApi({
  id: 'void-payment-api',
  summary: 'Reverses an authorisation that has not been captured.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/payments/authorizations/{id}/void',
  response: Payment,
  problems: ['not_found', 'invalid_state_transition'],
  shapes: 'our choice',
});

const RefundRequest = z.strictObject({
  amount: PositiveMoney,
  reason: typedText(200).optional(),
  returnId: Id.optional().describe('The refunded return. All refunds of a return together are at most its refundAmount.'),
  payOutTo: PayOutTender.optional().describe(
    'Pays the amount to a gift card. Possible after a refund of this payment has failed, up to the failed amount; of a cancelled order, up to all that it owes of this payment.',
  ),
  providerReference: Reference.shape.id
    .optional()
    .describe('external: the id of the refund at the provider. A repeat with the same id and amount returns the payment unchanged.'),
});

export const refundPayment = defineApi({
  id: 'refund-payment-api',
  summary:
    'Refunds a captured amount in full or in part, except the part that pays for an exchange order. Each call is a new refund: send an Idempotency-Key. Some providers decide later: the refund is pending, and then succeeds or fails. For an external payment, the call notes a refund that its provider has made.',
  type: 'command',
  application: 'payment-hub',
  method: 'POST',
  path: '/payments/{id}/refunds',
  request: RefundRequest,
  serviceRequest: RefundRequest.extend({
    reference: typedText(200).optional().describe('A repeat with the same reference returns the payment unchanged.'),
    payable: Payable.optional().describe('Sent by the OMS, so that the Payment Hub need not call it back.'),
  }),
  response: Payment,
  status: 201,
  problems: [
    'not_found',
    'invalid_state_transition',
    'conflicting_repeat',
    'refund_exceeds_captured',
    'limit_reached',
    ...dependencyProblems,
  ],
  shapes: 'our choice',
});

export const noteRefundResult = defineApi({
  id: 'note-refund-result-api',
  summary:
    'Notes whether the provider of an external payment has paid out a pending refund. After a failure, the amount is owed again. A repeat changes nothing.',
  type: 'action',
  application: 'payment-hub',
  method: 'POST',
  path: '/payments/{id}/refunds/{refundId}/result',
  request: withRules(
    z.strictObject({
      state: z.enum(['succeeded', 'failed']).describe('Whether the customer has the money, or the retailer has it back.'),
      failureReason: typedText(200).optional().describe('failed, required: the reason of the provider, such as account_closed.'),
      providerReference: Reference.shape.id.optional().describe('The id of the refund at the provider.'),
    }),
    [
      { when: { member: 'state', is: ['failed'] }, needs: 'failureReason', error: 'Give the reason of the provider.' },
      { when: { member: 'state', is: ['succeeded'] }, refuses: 'failureReason', error: 'Only a failed refund has a reason; leave it out.' },
    ],
  ),
  response: Payment,
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat'],
  addition: true,
});

export const addPayment = defineApi({
  id: 'add-payment-api',
  summary:
    'Adds a tender to a checkout at the till. Several tenders may share the total. Once it is fully paid, the till submits the order.',
  domain: 'payment',
  type: 'command',
  application: 'pos',
  method: 'POST',
  path: '/transactions/{id}/payment',
  request: z.strictObject({
    tender: TillTender,
    amount: PositiveMoney.describe(
      'At most what is outstanding. Cash may be more: the payment has the change. Where the retailer rounds cash, it is in whole coins, or exactly what is outstanding.',
    ),
    acceptPartial,
  }),
  response: Payment.extend({
    outstanding: Money.describe('Amount left to pay.'),
    outstandingInCash: OutstandingInCash,
    transactionState: TransactionState,
    orderSubmission: z
      .enum(['none', 'queued', 'accepted'])
      .describe('queued: paid, but the OMS does not answer. The till submits the order as soon as the OMS is back.'),
    receipt: Receipt.optional().describe('Present once the checkout is fully paid.'),
  }).meta({ id: 'TransactionPayment' }),
  status: 201,
  emits: ['payment-authorized'],
  problems: ['not_found', 'payment_declined', 'overpayment', 'invalid_state_transition', 'limit_reached', ...dependencyProblems],
});

export const paymentApis = [authorizePayment, capturePayment, voidPayment, refundPayment, noteRefundResult, addPayment] as const;
