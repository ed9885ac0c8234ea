import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { commonFields, Id, Instant, Money } from '../shapes.ts';

/** Reasons of the Payment Hub for declining a tender. The simulated provider adds the codes of its tokens. */
export const declineCodes = {
  insufficient_funds: 'The card or gift card has less than the amount.',
  do_not_honor: 'The issuer declines without a reason.',
  provider_timeout: 'The provider did not answer in time: for 15 minutes by default.',
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
  states: ['pending', 'authorised', 'captured', 'partially-refunded', 'fully-refunded', 'voided', 'failed'],
  rows: [
    {
      verb: 'authorise',
      from: [null],
      to: 'authorised',
      events: ['payment-authorized'],
      trigger: 'Authorize Payment, Add Payment; the provider approves immediately',
    },
    { verb: 'await-approval', from: [null], to: 'pending', trigger: 'Authorize Payment, Add Payment; the outcome is unknown' },
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
      verb: 'release-rest',
      from: ['captured'],
      trigger: 'Capture Payment for a part of an exchange credit; the OMS refunds the released rest',
    },
    {
      verb: 'void',
      from: ['authorised'],
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
  ],
});

export const TenderType = z.enum(['card', 'gift-card', 'bnpl', 'cash', 'loyalty', 'exchange-credit']).meta({
  id: 'TenderType',
  description: 'bnpl: buy now, pay later. cash: at the till only. loyalty: a redemption of points. exchange-credit: the value of a return.',
});

export const PaymentTender = z
  .object({ type: TenderType, token: z.string().optional(), last4: z.string().optional().describe('Last four digits of a card.') })
  .meta({ id: 'PaymentTender' });

export const Refund = z
  .object({
    amount: Money,
    reason: z.string().optional(),
    returnId: Id.optional(),
    reference: z.string().optional().describe('Set by applications. A payment has one refund per reference.'),
    at: Instant.optional(),
  })
  .meta({ id: 'Refund' });

export const Payment = z
  .object({
    ...commonFields,
    state: z.enum(paymentLifeCycle.states),
    orderId: Id.describe('For a checkout at the till: the id that its order will have.'),
    returnId: Id.optional().describe('exchange-credit: the return whose value pays.'),
    tender: PaymentTender,
    amount: Money.describe('The requested amount.'),
    authorizedAmount: Money,
    capturedAmount: Money,
    refundedAmount: Money,
    authorizationCode: z.string().optional().describe('Set by the provider with its approval.'),
    authorizationExpiresAt: Instant.optional(),
    declineCode: z
      .string()
      .optional()
      .describe(`${Object.keys(declineCodes).join(', ')}, or a code of the provider.`),
    refunds: z.array(Refund),
  })
  .meta({ id: 'Payment' });

export const payment = defineObject({
  type: 'payment',
  owner: 'payment-hub',
  meaning: 'Payment obligation and state of a basket, order, return or exchange',
  schema: Payment,
  label: ['{amount} {tender.type}'],
  columns: { order: '{orderId}', captured: '{capturedAmount}', refunded: '{refundedAmount}' },
  lifeCycle: paymentLifeCycle,
  changeSubscribers: [
    { application: 'pos', purpose: 'drops a tender that is declined, times out or is voided, and counts the rest of a refunded tender' },
    {
      application: 'loyalty-platform',
      purpose:
        'takes earned points back for a refund after the order has earned them: one point per full 1.00 that is not refunded remains, refunds of shipping and goodwill included',
    },
    {
      application: 'oms',
      purpose:
        'renews a lost authorisation of a confirmed order, or cancels the order; refunds the released part of an exchange credit to the payments of its return',
    },
    { application: 'fms', purpose: 'records refunds of a return; the last one ends the return' },
  ],
});

/** Sequence of tenders when an order is refunded. */
export const REFUND_ORDER: readonly z.output<typeof TenderType>[] = ['card', 'bnpl', 'gift-card', 'cash', 'loyalty', 'exchange-credit'];

export const refundOrderInWords = `Refunds go to the tenders in this sequence: ${REFUND_ORDER.join(', ')}; each up to its captured amount less its refunds.`;
