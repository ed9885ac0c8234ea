import type { Fixtures } from '../../fixtures/files.ts';
import { references } from '../../shared/handlers/references.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { approvePayment, checkOrphan, expireAuthorization, giveUpPayment } from './authorization.ts';
import { authorizePayment } from './authorize-payment.ts';
import { changeGiftCard, changePaymentToken } from './changes.ts';
import {
  giftCardBalances,
  giftCards,
  orderCovers,
  payableOrders,
  payableReturns,
  payments,
  paymentTokens,
  returnCovers,
} from './collections.ts';
import { completePaymentAction, readPaymentAction } from './customer-action.ts';
import { decideDispute, disputePayment, loseDispute } from './disputes.ts';
import { giveBackPoints } from './funds.ts';
import { capturePayment, listPayments, lowerAuthorization, reversePayment, voidPayment } from './payments.ts';
import { decideRefund, noteRefundResult, refundPayment } from './refunds.ts';

export const service = defineService({
  application: 'payment-hub',
  collections: [payments, payableOrders, payableReturns, paymentTokens, giftCards, references],
  counters: [orderCovers, returnCovers, giftCardBalances],
  apis: {
    'authorize-payment-api': authorizePayment,
    'capture-payment-api': capturePayment,
    'void-payment-api': voidPayment,
    'refund-payment-api': refundPayment,
    'note-refund-result-api': noteRefundResult,
  },
  internal: {
    'list-payments': listPayments,
    'reverse-payment': reversePayment,
    'lower-authorization': lowerAuthorization,
    'complete-payment-action': completePaymentAction,
    'read-payment-action': readPaymentAction,
    'dispute-payment': disputePayment,
    'decide-dispute': decideDispute,
    'change-gift-card': changeGiftCard,
    'change-payment-token': changePaymentToken,
  },
  events: {},
  due: [approvePayment, giveUpPayment, checkOrphan, expireAuthorization, giveBackPoints, decideRefund, loseDispute],
});

/** The simulated provider's tokens and the retailer's gift cards. */
export function seed({ paymentTokens: tokens, giftCards: cards }: Fixtures): Seed {
  return {
    objects: [
      { of: paymentTokens, rows: tokens.map((rule) => ({ id: rule.token, version: 1, rule })) },
      { of: giftCards, rows: cards.map(({ token, balance }) => ({ id: token, version: 1, currency: balance.currency })) },
    ],
    counters: [{ of: giftCardBalances, rows: Object.fromEntries(cards.map(({ token, balance }) => [token, { balance: balance.amount }])) }],
  };
}
