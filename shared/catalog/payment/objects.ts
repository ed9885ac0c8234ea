import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { clientMembers, commonFields, Id, Instant, Money, referenceColumn, TenderToken } from '../shapes.ts';
import { Dispute } from './disputes.ts';

/** Reasons of the Payment Hub for declining a tender. The simulated provider adds the codes of its tokens. */
export const declineCodes = {
  insufficient_funds: 'The card or gift card has less than the amount.',
  do_not_honor: 'The issuer declines without a reason.',
  capture_declined: 'The provider approved the authorisation and declined its capture.',
  authentication_failed: 'The customer rejected the payment at its 3-D Secure authentication.',
  authentication_expired: 'The customer did not authenticate the payment in time, 15 minutes by default.',
  provider_timeout: 'The provider did not answer in time, 15 minutes by default.',
  unknown_gift_card: 'The gift card is unknown.',
  currency_not_supported: 'The gift card is in another currency.',
  unknown_redemption: 'The redemption is unknown.',
  insufficient_points: 'The redemption is worth less than the amount, or it can no longer pay.',
  redemption_not_applicable: 'The redemption was made for another order, basket or customer.',
  loyalty_unavailable:
    'The Loyalty Platform could not be reached, and nothing was spent. Only the failed payment has this code. Its request is answered with 503 and may be repeated.',
} as const;

export const paymentLifeCycle = defineLifeCycle({
  object: 'payment',
  states: ['pending', 'requires-action', 'authorised', 'captured', 'partially-refunded', 'fully-refunded', 'voided', 'failed'],
  rows: [
    {
      verb: 'authorise',
      from: [null],
      to: 'authorised',
      events: ['payment-authorized'],
      trigger: 'Authorize Payment, Add Payment; the provider approves immediately',
    },
    { verb: 'await-approval', from: [null], to: 'pending', trigger: 'Authorize Payment, Add Payment; the outcome is unknown' },
    {
      verb: 'require-action',
      from: [null],
      to: 'requires-action',
      trigger: 'Authorize Payment; the customer has to authenticate the payment (3-D Secure)',
    },
    {
      verb: 'authenticate',
      from: ['requires-action'],
      to: 'authorised',
      events: ['payment-authorized'],
      trigger: 'the customer approves on the page of nextAction',
    },
    {
      verb: 'fail-authentication',
      from: ['requires-action'],
      to: 'failed',
      trigger: 'the customer rejects on the page of nextAction; time: 15 min without a decision',
    },
    { verb: 'approve', from: ['pending'], to: 'authorised', events: ['payment-authorized'], trigger: 'the provider approves' },
    { verb: 'decline', from: [null, 'pending'], to: 'failed', trigger: 'the provider declines' },
    { verb: 'note', from: ['pending'], trigger: 'internal: reversed while pending; it is voided once it is approved' },
    { verb: 'give-up', from: ['pending'], to: 'failed', trigger: 'time: 15 min without an outcome' },
    {
      verb: 'capture',
      from: ['authorised'],
      to: 'captured',
      events: ['payment-captured'],
      trigger: 'Capture Payment; once, at most the authorised amount',
    },
    {
      verb: 'lower',
      from: ['authorised'],
      trigger: 'internal: Change Order; the order costs less, and the rest of the amount stays authorised',
    },
    {
      verb: 'decline-capture',
      from: ['authorised'],
      to: 'failed',
      trigger: 'Capture Payment; the provider declines the capture, and the authorisation ends',
    },
    {
      verb: 'release-rest',
      from: ['captured'],
      trigger: 'Capture Payment for a part of an exchange credit; the OMS refunds the released rest',
    },
    {
      verb: 'void',
      from: ['authorised', 'requires-action'],
      to: 'voided',
      trigger:
        'Void Payment; Cancel Order; its draft order expires; Confirm Order without stock; Void Transaction; time: its order is unknown or cancelled, or its transaction does not list the payment',
    },
    { verb: 'void', from: ['voided'], again: true, trigger: 'Void Payment, repeated' },
    { verb: 'expire', from: ['authorised'], to: 'voided', trigger: 'time: 7 d after the authorisation' },
    {
      verb: 'refund',
      from: ['captured', 'partially-refunded'],
      to: ['partially-refunded', 'fully-refunded'],
      trigger: 'Refund Payment; Cancel Order. All refunds together are at most the captured amount',
    },
    {
      verb: 'settle-refund',
      from: ['partially-refunded', 'fully-refunded'],
      trigger: 'Note Refund Result; time: the provider pays out a pending refund',
    },
    {
      verb: 'fail-refund',
      from: ['partially-refunded', 'fully-refunded'],
      to: ['captured', 'partially-refunded'],
      trigger: 'Note Refund Result; time: the provider returns the money of a pending refund, which is owed again',
    },
    {
      verb: 'note',
      from: ['captured', 'partially-refunded'],
      trigger: 'internal: reversed while a dispute is open; the rest is refunded once the dispute is decided',
    },
    {
      verb: 'dispute',
      from: ['captured', 'partially-refunded'],
      trigger: 'control plane: dispute. The bank of the cardholder withdraws the amount and a fee; until the decision, nothing is refunded',
    },
    {
      verb: 'win-dispute',
      from: ['captured', 'partially-refunded'],
      trigger: 'control plane: dispute outcome. The amount returns to the retailer, the fee does not',
    },
    {
      verb: 'lose-dispute',
      from: ['captured', 'partially-refunded'],
      trigger: 'control plane: dispute outcome; time: 7 d without an outcome. The cardholder keeps the amount',
    },
  ],
});

export const TenderType = z.enum(['card', 'gift-card', 'bnpl', 'cash', 'loyalty', 'exchange-credit', 'external']).meta({
  id: 'TenderType',
  description:
    'bnpl: buy now, pay later. cash: at the till only. loyalty: a redemption of points. exchange-credit: the value of a return. external: our addition, money that another system moves at its own provider; the Payment Hub only notes it.',
});

const PaymentTender = z
  .object({
    type: TenderType,
    token: z.string().optional(),
    last4: z.string().optional().describe('Last four digits of a card.'),
    provider: z.string().optional().describe('external: the provider that has the money.'),
    reference: z.string().optional().describe('external: the id of the payment at the provider.'),
  })
  .meta({ id: 'PaymentTender' });

export const PayOutTender = z
  .strictObject({ type: z.literal('gift-card'), token: TenderToken })
  .meta({ id: 'PayOutTender', description: 'A gift card that receives an amount whose refund failed.' });

const RefundState = z.enum(['pending', 'succeeded', 'failed']).meta({
  id: 'RefundState',
  description:
    'pending: the provider has not paid it out yet. failed: the provider has returned the money to the retailer, who owes it again.',
});

export const Refund = z
  .object({
    id: Id.optional().describe(
      'Our addition: the payment and the position among its refunds, as Note Refund Result needs it. Absent in refunds that an earlier release made.',
    ),
    amount: Money,
    state: RefundState,
    rounding: Money.optional().describe(
      'Our addition: cash, where the retailer rounds it. The customer gets amount plus rounding; it may be negative. Absent if it is zero.',
    ),
    reason: z.string().optional(),
    returnId: Id.optional(),
    reference: z.string().optional().describe('Set by applications. A payment has one refund per reference.'),
    at: Instant.optional(),
    sequence: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Our addition: the place of its request among the refunds, their results and the decided disputes of the order. Several may have one instant. Absent in refunds that an earlier release made.',
      ),
    decidedSequence: z.int().min(1).optional().describe('Our addition: the place of its result, counted as `sequence`.'),
    decidedAt: Instant.optional().describe('When the provider paid out a pending refund, or returned its money.'),
    failureReason: z.string().optional().describe('failed: the reason of the provider, such as account_closed.'),
    providerReference: z.string().optional().describe('external: the id of the refund at the provider.'),
    payOutTo: PayOutTender.optional().describe('The gift card that received the amount instead of the tender of the payment.'),
  })
  .meta({ id: 'Refund' });

export const Payment = z
  .object({
    ...commonFields,
    state: z.enum(paymentLifeCycle.states),
    orderId: Id.describe('For a checkout at the till: the id that its order will have.'),
    returnId: Id.optional().describe('exchange-credit: the return whose value pays.'),
    transactionId: Id.optional().describe('Our addition: the transaction at a till that took it for an order that is collected.'),
    tender: PaymentTender,
    amount: Money.describe('The requested amount. Cash above the outstanding amount pays only that.'),
    tendered: Money.optional().describe('cash: what the customer handed over.'),
    change: Money.optional().describe(
      'cash: what the customer got back, tendered less amount and rounding. Voids and refunds never include it.',
    ),
    rounding: Money.optional().describe(
      'Our addition: cash that closes a sale of a retailer with cashRounding. What the customer pays in coins, less amount; it may be negative. Absent if it is zero.',
    ),
    authorizedAmount: Money.describe('Below amount if the request accepted a part.'),
    capturedAmount: Money,
    refundedAmount: Money.describe('All refunds together that have not failed; pending ones count.'),
    authorizationCode: z
      .string()
      .optional()
      .describe('Set by the provider with its approval. A payment by card or bnpl has it from then on.'),
    authorizationExpiresAt: Instant.optional(),
    nextAction: z
      .object({
        type: z.literal('redirect'),
        url: z.string().describe('Path of a page at the gateway. It needs no credential, since the browser of the customer opens it.'),
      })
      .optional()
      .describe('What the customer has to do while the state is requires-action.'),
    declineCode: z
      .string()
      .optional()
      .describe(`${Object.keys(declineCodes).join(', ')}, or a code of the provider.`),
    refunds: z.array(Refund),
    disputes: z.array(Dispute).optional().describe('Absent if the payment was never disputed.'),
    ...clientMembers,
  })
  .meta({ id: 'Payment' });

export const payment = defineObject({
  type: 'payment',
  idPrefix: 'pay',
  owner: 'payment-hub',
  meaning: 'Payment obligation and state of a basket, order, return or exchange',
  schema: Payment,
  label: ['{amount} {tender.type}'],
  columns: { order: '{orderId}', captured: '{capturedAmount}', refunded: '{refundedAmount}', refunds: '{refunds.state}' },
  moreColumns: referenceColumn,
  lifeCycle: paymentLifeCycle,
  changeSubscribers: [
    { application: 'pos', purpose: 'drops a tender that is declined, times out or is voided, and counts the rest of a refunded tender' },
    {
      application: 'loyalty-platform',
      purpose:
        'takes earned points back when a refund succeeds or a dispute is lost: the order keeps one point per full 1.00 that is not refunded',
    },
    {
      application: 'oms',
      purpose:
        'renews a lost authorisation of a confirmed order, or cancels the order; refunds the released part of an exchange credit to the payments of its return',
    },
    {
      application: 'fms',
      purpose:
        'records refunds of a return and their states; the last one that succeeds ends the return. A decided dispute resumes the refund of a return',
    },
  ],
});

/** Sequence of tenders when an order is refunded. */
export const REFUND_ORDER: readonly z.output<typeof TenderType>[] = [
  'card',
  'bnpl',
  'external',
  'gift-card',
  'cash',
  'loyalty',
  'exchange-credit',
];

export const refundOrderInWords = `Refunds go to the tenders in this sequence: ${REFUND_ORDER.join(', ')}; each up to its captured amount less its refunds.`;
