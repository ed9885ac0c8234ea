import type { z } from 'zod';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { getPayable } from '../../../shared/catalog/order/internal.ts';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import { authorizePayment as authorizePaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { overpayment } from '../../../shared/catalog/payment/pending.ts';
import { didNothing, invalid, Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import { allPages } from '../../../shared/work/all-pages.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { answerFor, isAbandoned, LOYALTY_UNAVAILABLE, refuseOtherRequest } from '../authorization/answer.ts';
import { approve, fail } from '../authorization/authorization.ts';
import { openPayment, openPending, type PaymentRequest } from '../authorization/new-payment.ts';
import { isTooMuch, outstandingOf, refuseUnpayable } from '../authorization/payable-rules.ts';
import { giftCardVerdict, last4Of, providerVerdict, reasonOf } from '../authorization/provider-rules.ts';
import { isRedemptionId, spendRedemption } from '../authorization/redemption.ts';
import { giftCardBalances, giftCards, payments, paymentTokens, type StoredPayment } from '../collections.ts';
import { leftOfOrder, refuseFurtherPayment, syncOrderCover } from '../funds/order-cover.ts';
import { syncReturnCover } from '../funds/return-cover.ts';
import { returnExceeded } from '../refund/refund.ts';

type OrderToPay = z.output<typeof Payable>;
type Body = InputOf<typeof authorizePaymentApi>['body'];

export const authorizePayment = handle(authorizePaymentApi)(async ({ body }, scope) => {
  const { work, call, context } = scope;
  refuseMisplacedReturn(body);
  const { id, earlier } = await findAttempt(work, body);
  if (earlier?.awaiting === 'loyalty-platform') return settleRedemption(scope, earlier);
  if (earlier) return answerFor(earlier);
  const order = body.payable ?? (await call(getPayable, { params: { id: body.orderId } }));
  refuseUnpayable(order, body);
  const outstanding = outstandingOf(order, await syncOrderCover(work, order));
  const { orderId, returnId } = body;
  if (context.chain.length === 0) await refuseFurtherPayment(work, orderId);
  if (isTooMuch(outstanding, body.amount)) {
    const ofOrder = await allPages((cursor) => work.find(payments, 'order', orderId, { cursor }));
    const pending = ofOrder.filter(({ state }) => state === 'pending');
    throw overpayment({ objectType: 'order', id: orderId, outstanding, requested: body.amount, pending });
  }
  const request = { id, orderId, amount: body.amount ?? outstanding, returnId, ...(isTakenAtTill(body) && { takenAt: 'pos' as const }) };
  switch (body.tender.type) {
    case 'loyalty':
      return payWithRedemption(scope, { ...request, tender: body.tender, purchase: purchaseOf(order) });
    case 'gift-card':
      return payWithGiftCard(work, { ...request, tender: body.tender });
    case 'exchange-credit':
      return payWithReturn(work, { ...request, tender: body.tender }, order);
    case 'cash':
      return answerFor(openPayment(work, { ...request, tender: body.tender }, { is: 'approved' }));
    default:
      return payThroughProvider(work, { ...request, tender: body.tender });
  }
});

/**
 * Finds the payment that an earlier run of this request made. A timeout is not stored as the answer, so without this a repeat with the
 * same key would make a second payment.
 * @returns the id for this request, and its payment if there is one
 */
async function findAttempt(work: UnitOfWork, body: Body): Promise<{ id: string; earlier: StoredPayment | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const id = work.id('pay', `attempt ${attempt}`);
    const earlier = await work.get(payments, id);
    if (earlier) refuseOtherRequest(earlier, body);
    if (!earlier || !isAbandoned(earlier)) return { id, earlier };
  }
}

/** @throws Problem `validation_failed` unless exactly an exchange credit names a return */
function refuseMisplacedReturn({ tender, returnId }: Body): void {
  if ((tender.type === 'exchange-credit') === (returnId !== undefined)) return;
  throw returnId === undefined
    ? invalid('/returnId', 'required', 'Name the return whose value pays.')
    : invalid('/returnId', 'unexpected', `A return pays as exchange-credit, not as ${tender.type}.`);
}

const purchaseOf = ({ basketId, customerId, loyaltyAccountId }: OrderToPay) => ({ basketId, customerId, loyaltyAccountId });

/** Whether the payment is for a sale at the till: only the till sends `payable` for a sale. The till also lists its tenders. */
const isTakenAtTill = ({ payable, tender }: Body): boolean => payable?.channel === 'pos' && tender.type !== 'exchange-credit';

async function payThroughProvider(work: UnitOfWork, request: PaymentRequest) {
  const { type, token } = request.tender;
  const rule = token === undefined ? undefined : (await work.get(paymentTokens, token))?.rule;
  const tender = type === 'card' && token !== undefined ? { type, token, last4: last4Of(token, rule) } : request.tender;
  return answerFor(openPayment(work, { ...request, tender }, providerVerdict(request.tender, rule)));
}

async function payWithGiftCard(work: UnitOfWork, request: PaymentRequest) {
  const token = request.tender.token ?? '';
  const card = await work.get(giftCards, token);
  const [counted] = await work.counters(giftCardBalances, [token]);
  const balance = card && money(counted?.balance ?? 0, card.currency);
  return answerFor(openPayment(work, request, giftCardVerdict(balance, request.amount)));
}

/** @throws Problem `not_found` of the return, `refund_exceeds_captured` */
async function payWithReturn(work: UnitOfWork, request: PaymentRequest, order: OrderToPay) {
  const { returnId = '', amount } = request;
  const ofReturn = await syncReturnCover(work, order, returnId);
  const returnedOrderId = order.returns?.find((one) => one.returnId === returnId)?.orderId;
  const ofOrder = returnedOrderId === undefined ? ofReturn : await leftOfOrder(work, returnedOrderId);
  const left = Math.min(ofReturn.left, ofOrder.left);
  if (left < amount.amount) throw returnExceeded({ returnId, left }, amount);
  return answerFor(openPayment(work, { ...request, ...(returnedOrderId !== undefined && { returnedOrderId }) }, { is: 'approved' }));
}

/**
 * Points are spent at another application, so the pending payment is committed first. A repeat resumes it, or due work takes the points
 * back.
 */
async function payWithRedemption(scope: Scope, request: PaymentRequest) {
  const { work } = scope;
  if (!isRedemptionId(request.tender.token))
    return answerFor(openPayment(work, request, { is: 'declined', declineCode: 'unknown_redemption' }));
  const payment = openPending(work, request, 'loyalty-platform');
  await work.checkpoint();
  try {
    return await settleRedemption(scope, payment);
  } catch (error) {
    if (!(error instanceof Problem && didNothing(error))) throw error;
    // The only call so far did nothing, so nothing was spent. Another tender can pay the order now.
    fail(work, payment, { verb: 'decline', declineCode: LOYALTY_UNAVAILABLE });
    return error;
  }
}

async function settleRedemption(scope: Scope, payment: StoredPayment) {
  const { work } = scope;
  const verdict = await spendRedemption(scope, payment);
  if (verdict.is === 'declined') return answerFor(fail(work, payment, { verb: 'decline', ...reasonOf(verdict) }));
  return answerFor(approve(work, payment));
}
