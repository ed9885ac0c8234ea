import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { authorizePayment } from './apis/authorize-payment.ts';
import { capturePayment } from './apis/capture-payment.ts';
import { refundPayment } from './apis/refund-payment.ts';
import { voidPayment } from './apis/void-payment.ts';
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
import { approvePayment } from './due/approve-payment.ts';
import { checkOrphan } from './due/check-orphan.ts';
import { expireAuthorization } from './due/expire-authorization.ts';
import { giveBackPoints } from './due/give-back-points.ts';
import { giveUpPayment } from './due/give-up-payment.ts';
import { listPayments } from './internal/list-payments.ts';
import { reversePayment } from './internal/reverse-payment.ts';

export const service = defineService({
  application: 'payment-hub',
  collections: [payments, payableOrders, payableReturns, paymentTokens, giftCards],
  counters: [orderCovers, returnCovers, giftCardBalances],
  apis: {
    'authorize-payment-api': authorizePayment,
    'capture-payment-api': capturePayment,
    'void-payment-api': voidPayment,
    'refund-payment-api': refundPayment,
  },
  internal: { 'list-payments': listPayments, 'reverse-payment': reversePayment },
  events: {},
  due: [approvePayment, giveUpPayment, checkOrphan, expireAuthorization, giveBackPoints],
});

/** The simulated provider's tokens and the retailer's gift cards. */
export function seed({ paymentTokens: tokens, giftCards: cards }: Fixtures, _now: number): Seed {
  return {
    objects: [
      { of: paymentTokens, rows: tokens.map((rule) => ({ id: rule.token, version: 1, rule })) },
      { of: giftCards, rows: cards.map(({ token, balance }) => ({ id: token, version: 1, currency: balance.currency })) },
    ],
    counters: [{ of: giftCardBalances, rows: Object.fromEntries(cards.map(({ token, balance }) => [token, { balance: balance.amount }])) }],
  };
}
