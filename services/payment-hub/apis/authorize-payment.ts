import type { z } from 'zod';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { getPayable } from '../../../shared/catalog/order/internal.ts';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import { authorizePayment as authorizePaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { answerFor, isAbandoned, LOYALTY_UNAVAILABLE, refuseOtherRequest } from '../authorization/answer.ts';
import { approve, fail } from '../authorization/authorization.ts';
import { giftCardVerdict } from '../authorization/gift-card-rules.ts';
import { openPayment, openPending, type PaymentRequest } from '../authorization/new-payment.ts';
import { committedTo } from '../authorization/order-cover.ts';
import { amountToAuthorise, outstandingOf, refuseUnpayable } from '../authorization/payable-rules.ts';
import { last4Of, providerVerdict } from '../authorization/provider-rules.ts';
import { isRedemptionId, spendRedemption } from '../authorization/redemption.ts';
import { giftCardBalances, giftCards, payments, paymentTokens, type StoredPayment } from '../collections.ts';
import { beyondReturn } from '../refund/refund-rules.ts';
import { leftOfReturn } from '../refund/return-cover.ts';

type OrderToPay = z.output<typeof Payable>;
type Body = InputOf<typeof authorizePaymentApi>['body'];

export const authorizePayment = handle(authorizePaymentApi)(async ({ body }, scope) => {
  const { work, call } = scope;
  refuseMisplacedReturn(body);
  const { id, earlier } = await attemptOf(work, body);
  if (earlier?.awaiting === 'loyalty-platform') return settleRedemption(scope, earlier);
  if (earlier) return answerFor(earlier);
  const order = body.payable ?? (await call(getPayable, { params: { id: body.orderId } }));
  refuseUnpayable(order, body);
  const outstanding = outstandingOf(order, await committedTo(work, order));
  const { orderId, returnId } = body;
  const asked = {
    ...{ id, orderId, amount: amountToAuthorise(orderId, outstanding, body.amount) },
    ...(returnId !== undefined && { returnId }),
    ...(isTillsOwn(body) && { takenAt: 'pos' as const }),
  };
  switch (body.tender.type) {
    case 'loyalty':
      return payWithRedemption(scope, { ...asked, tender: body.tender, purchase: purchaseOf(order) });
    case 'gift-card':
      return payWithGiftCard(work, { ...asked, tender: body.tender });
    case 'exchange-credit':
      return payWithReturn(work, { ...asked, tender: body.tender }, order);
    case 'cash':
      return answerFor(openPayment(work, { ...asked, tender: body.tender }, { is: 'approved' }));
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

/** An exchange credit is a return's, and nothing else is. @throws Problem 422 */
function refuseMisplacedReturn({ tender, returnId }: Body): void {
  if ((tender.type === 'exchange-credit') === (returnId !== undefined)) return;
  throw returnId === undefined
    ? invalid('/returnId', 'required', 'Name the return whose value pays.')
    : invalid('/returnId', 'unexpected', `A return pays as exchange-credit, not as ${tender.type}.`);
}

/** What a redemption is compared with: it pays for its owner, and for what it was made for. */
const purchaseOf = ({ basketId, customerId, loyaltyAccountId }: OrderToPay) => ({ basketId, customerId, loyaltyAccountId });

/** The till sends along what is to be paid, since nobody else knows it yet. It also keeps the list of tenders that it took. */
const isTillsOwn = ({ payable, tender }: Body): boolean => payable?.channel === 'pos' && tender.type !== 'exchange-credit';

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

/** What came back pays, as far as nothing was paid back for it. @throws Problem `not_found` of the return, `refund_exceeds_captured` */
async function payWithReturn(work: UnitOfWork, asked: PaymentRequest, order: OrderToPay) {
  const { returnId = '', amount } = asked;
  const ofReturn = await leftOfReturn(work, order, returnId);
  if (ofReturn.left < amount.amount) throw beyondReturn(ofReturn, amount);
  return answerFor(openPayment(work, asked, { is: 'approved' }));
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
