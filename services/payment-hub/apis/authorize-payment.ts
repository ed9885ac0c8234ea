import type { InputOf } from '../../../shared/catalog/define.ts';
import { getPayable } from '../../../shared/catalog/order/internal.ts';
import { authorizePayment as authorizePaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/contract/handler.ts';
import { money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { approve, fail } from '../authorisation.ts';
import { answerFor, isAbandoned, LOYALTY_UNAVAILABLE, refuseOtherRequest } from '../authorisation-answer.ts';
import { giftCardBalances, giftCards, payments, paymentTokens, type StoredPayment } from '../collections.ts';
import { giftCardVerdict } from '../gift-card-rules.ts';
import { openPayment, openPending, type PaymentRequest } from '../new-payment.ts';
import { committedTo } from '../order-cover.ts';
import { amountToAuthorise, outstandingOf, refuseUnpayable } from '../payable-rules.ts';
import { last4Of, providerVerdict } from '../provider-rules.ts';
import { isRedemptionId, spendRedemption } from '../redemption.ts';

type Body = InputOf<typeof authorizePaymentApi>['body'];

export const authorizePayment = handle(authorizePaymentApi)(async ({ body }, scope) => {
  const { work, call } = scope;
  const { id, earlier } = await attemptOf(work, body);
  if (earlier?.awaiting === 'loyalty-platform') return settleRedemption(scope, earlier);
  if (earlier) return answerFor(earlier);
  const order = body.payable ?? (await call(getPayable, { params: { id: body.orderId } }));
  refuseUnpayable(order, body);
  const outstanding = outstandingOf(order.total, await committedTo(work, order));
  const asked = { id, orderId: body.orderId, amount: amountToAuthorise(body.orderId, outstanding, body.amount) };
  switch (body.tender.type) {
    case 'loyalty':
      return payWithRedemption(scope, { ...asked, tender: body.tender });
    case 'gift-card':
      return payWithGiftCard(work, { ...asked, tender: body.tender });
    default:
      return payThroughProvider(work, { ...asked, tender: body.tender });
  }
});

/**
 * The id of the payment that this request makes, and the payment when an earlier run of the request made it already: after a
 * timeout the answer is not kept, and a repeat with the same key must not become a second payment.
 */
async function attemptOf(work: UnitOfWork, body: Body): Promise<{ id: string; earlier: StoredPayment | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const id = work.id('pay', `attempt ${attempt}`);
    const earlier = await work.get(payments, id);
    if (earlier) refuseOtherRequest(earlier, body);
    if (!earlier || !isAbandoned(earlier)) return { id, earlier };
  }
}

async function payThroughProvider(work: UnitOfWork, asked: PaymentRequest) {
  const { type, token } = asked.tender;
  const rule = token === undefined ? undefined : (await work.get(paymentTokens, token))?.rule;
  const tender = type === 'card' && token !== undefined ? { type, token, last4: last4Of(token, rule) } : asked.tender;
  return answerFor(openPayment(work, { ...asked, tender }, providerVerdict(asked.tender, rule)));
}

async function payWithGiftCard(work: UnitOfWork, asked: PaymentRequest) {
  const token = asked.tender.token ?? '';
  const card = await work.get(giftCards, token);
  const [counted] = await work.counters(giftCardBalances, [token]);
  const held = card && money(counted?.balance ?? 0, card.currency);
  return answerFor(openPayment(work, asked, giftCardVerdict(held, asked.amount)));
}

/**
 * Points are spent at the Loyalty Platform, an effect elsewhere. So the payment is there first, pending: a repeat of the request
 * resumes it, and without one `give-up-payment` takes back what may have been spent.
 */
async function payWithRedemption(scope: Scope, asked: PaymentRequest) {
  const { work } = scope;
  if (!isRedemptionId(asked.tender.token))
    return answerFor(openPayment(work, asked, { is: 'declined', declineCode: 'unknown_redemption' }));
  const payment = openPending(work, asked, 'loyalty-platform');
  await work.checkpoint();
  try {
    return await settleRedemption(scope, payment);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'dependency_unavailable') throw error;
    // The first and only call reached nobody, so nothing was spent; the order can be paid otherwise at once.
    fail(work, payment, { verb: 'decline', declineCode: LOYALTY_UNAVAILABLE });
    return error;
  }
}

async function settleRedemption(scope: Scope, payment: StoredPayment) {
  const { work } = scope;
  const verdict = await spendRedemption(scope, payment);
  if (verdict.is === 'declined') return answerFor(fail(work, payment, { verb: 'decline', declineCode: verdict.declineCode }));
  return answerFor(approve(work, payment));
}
