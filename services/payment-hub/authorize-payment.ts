import type { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { putLedgerEntry } from '../../shared/catalog/loyalty/internal.ts';
import { getPayable } from '../../shared/catalog/order/internal.ts';
import type { Payable } from '../../shared/catalog/order/objects.ts';
import { authorizePayment as authorizePaymentApi } from '../../shared/catalog/payment/apis.ts';
import { isUndecided } from '../../shared/catalog/payment/cover.ts';
import type { Payment } from '../../shared/catalog/payment/objects.ts';
import { overpayment } from '../../shared/catalog/payment/pending.ts';
import { isExternal } from '../../shared/catalog/payment/tender.ts';
import { conflictingRepeat, didNothing, invalid, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { Id, Money as MoneySchema } from '../../shared/catalog/shapes.ts';
import { inCoins, type Money, money } from '../../shared/domain/money.ts';
import { allPages } from '../../shared/handlers/all-pages.ts';
import { endReference, findReference, refuseOtherRequest, refusingOnlyWhileFree, takeReference } from '../../shared/handlers/references.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { approve, declined, fail, openPayment, openPending, type PaymentRequest } from './authorization.ts';
import { externalKey, giftCardBalances, giftCards, payments, paymentTokens, published, type StoredPayment } from './collections.ts';
import { actionUrlOf } from './customer-action.ts';
import { leftOfOrder, refuseFurtherPayment, requiredFor, syncOrderCover, syncReturnCover } from './funds.ts';
import { giftCardVerdict, last4Of, providerVerdict, reasonOf, type Verdict } from './provider-rules.ts';
import { returnExceeded } from './refunds.ts';

type OrderToPay = z.output<typeof Payable>;
type Body = InputOf<typeof authorizePaymentApi>['body'];

export const authorizePayment = handle(authorizePaymentApi)(async ({ body }, scope) => {
  const { work } = scope;
  refuseMisplacedReturn(body);
  const { id, earlier } = await findAttempt(work);
  if (earlier?.awaiting === 'loyalty-platform') return settleRedemption(scope, earlier);
  if (earlier) return answerFor(earlier);
  const named = await findNamed(work, body);
  if (named) return answerRepeat(scope, named);
  return refusingOnlyWhileFree(work, 'payment', body, () => pay(scope, id, body));
});

/** Makes a payment, if only a declined one. */
async function pay(scope: Scope, id: string, body: Body) {
  const { work, call, context } = scope;
  const order = body.payable ?? (await call(getPayable, { params: { id: body.orderId } }));
  refuseUnpayable(order, body);
  const outstanding = outstandingOf(order, await syncOrderCover(work, order));
  const { orderId, returnId, acceptPartial, returnUrl, transactionId, reference, metadata } = body;
  if (isExternal(body.tender)) await refuseTwin(work, body);
  if (context.chain.length === 0) await refuseFurtherPayment(work, orderId);
  const isCash = body.tender.type === 'cash';
  if (outstanding.amount === 0 || (!isCash && isTooMuch(outstanding, body.amount))) {
    const ofOrder = await allPages((cursor) => work.find(payments, 'order', orderId, { cursor }));
    const pending = ofOrder.filter(isUndecided);
    throw overpayment({ objectType: 'order', id: orderId, outstanding, requested: body.amount, pending });
  }
  const request = {
    id,
    orderId,
    amount: body.amount ?? outstanding,
    acceptPartial,
    returnUrl,
    returnId,
    transactionId,
    reference,
    metadata,
    ...(isTakenAtTill(body) && { takenAt: 'pos' as const }),
  };
  takeReference(work, 'payment', body, { objectId: id });
  switch (body.tender.type) {
    case 'loyalty':
      return payWithRedemption(scope, { ...request, tender: body.tender, purchase: purchaseOf(order) });
    case 'gift-card':
      return payWithGiftCard(work, { ...request, tender: body.tender });
    case 'exchange-credit':
      return payWithReturn(work, { ...request, tender: body.tender }, order);
    case 'cash':
      return answerFor(
        openPayment(work, { ...request, tender: body.tender, ...inCash(request.amount, outstanding, work.figures) }, { is: 'approved' }),
      );
    case 'external':
      return answerFor(openPayment(work, { ...request, tender: body.tender }, { is: 'approved' }));
    default:
      return payThroughProvider(scope, { ...request, tender: body.tender });
  }
}

/**
 * Finds the payment that an earlier run of this request made. A timeout is not stored as the answer, so without this a repeat with the
 * same key would make a second payment.
 * @returns the id for this request, and its payment if there is one
 */
async function findAttempt(work: UnitOfWork): Promise<{ id: string; earlier: StoredPayment | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const id = work.id('pay', `attempt ${attempt}`);
    const earlier = await work.get(payments, id);
    if (!earlier || !isAbandoned(earlier)) return { id, earlier };
  }
}

/** The payment with the reference of this request. @throws Problem `conflicting_repeat` for a request with other content */
async function findNamed(work: UnitOfWork, body: Body): Promise<StoredPayment | undefined> {
  const record = await findReference(work, 'payment', body.reference);
  const payment = record?.objectId === undefined ? undefined : await work.get(payments, record.objectId);
  if (!record || !payment) return undefined;
  refuseOtherRequest('payment', record, body, { object: published(payment) });
  return payment;
}

/** A failed payment is answered as declined, as it was to its first request. */
async function answerRepeat(scope: Scope, payment: StoredPayment) {
  const answer = payment.awaiting === 'loyalty-platform' ? await settleRedemption(scope, payment) : answerFor(payment);
  return answer instanceof Problem ? answer : again(answer);
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

async function payThroughProvider(scope: Scope, request: PaymentRequest) {
  const { work, context } = scope;
  const { type, token } = request.tender;
  const rule = token === undefined ? undefined : (await work.get(paymentTokens, token))?.rule;
  const tender = type === 'card' && token !== undefined ? { type, token, last4: last4Of(token, rule) } : request.tender;
  // Only a shop calls for a customer who is online: the POS has a card reader, and the OMS renews what was authenticated.
  const mayAct = rule?.outcome === 'require-action' && context.chain.length === 0;
  const actionUrl = mayAct ? await actionUrlOf(request.id, scope) : undefined;
  return answerFor(openPayment(work, { ...request, tender }, providerVerdict(request, rule, actionUrl)));
}

async function payWithGiftCard(work: UnitOfWork, request: PaymentRequest) {
  const token = request.tender.token ?? '';
  const card = await work.get(giftCards, token);
  const [counted] = await work.counters(giftCardBalances, [token]);
  const balance = card && money(counted?.balance ?? 0, card.currency);
  return answerFor(openPayment(work, request, giftCardVerdict(balance, request)));
}

/** @throws Problem `not_found` for an unknown return, `refund_exceeds_captured` */
async function payWithReturn(work: UnitOfWork, request: PaymentRequest, order: OrderToPay) {
  const { returnId = '', amount } = request;
  const ofReturn = await syncReturnCover(work, order, returnId);
  const returnedOrderId = order.returns?.find((one) => one.returnId === returnId)?.orderId;
  const ofOrder = returnedOrderId === undefined ? ofReturn : await leftOfOrder(work, returnedOrderId);
  const left = Math.min(ofReturn.left, ofOrder.left);
  if (left < amount.amount) throw returnExceeded({ returnId, left }, amount);
  return answerFor(openPayment(work, { ...request, ...(returnedOrderId !== undefined && { returnedOrderId }) }, { is: 'approved' }));
}

/** Commits the pending payment before the points are spent. A repeat resumes it, or due work takes the points back. */
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
    // The only call so far did nothing, so nothing was spent. Another tender can pay the order now, with the same reference.
    fail(work, payment, { verb: 'decline', declineCode: LOYALTY_UNAVAILABLE, reference: undefined });
    const record = await findReference(work, 'payment', request.reference);
    if (record) endReference(work, record, undefined);
    return error;
  }
}

async function settleRedemption(scope: Scope, payment: StoredPayment) {
  const { work } = scope;
  const verdict = await spendRedemption(scope, payment);
  if (verdict.is === 'declined') return answerFor(fail(work, payment, { verb: 'decline', ...reasonOf(verdict) }));
  return answerFor(approve(work, payment));
}

/** The decline code of a payment whose call never reached the Loyalty Platform. */
const LOYALTY_UNAVAILABLE = 'loyalty_unavailable';

/** Whether the payment failed without being declined. A repeat of the request is then a new attempt. */
const isAbandoned = ({ state, declineCode }: StoredPayment): boolean => state === 'failed' && declineCode === LOYALTY_UNAVAILABLE;

/** The answer of Authorize Payment for the current state of the payment, on the first call and on each repeat. */
function answerFor(payment: StoredPayment): z.output<typeof Payment> | Problem {
  if (payment.state === 'failed') return declined(payment);
  if (payment.awaiting === 'provider-answer') {
    const detail =
      'The payment provider did not answer in time, so the outcome is unknown. The payment stays pending, and fails if the answer does not come. Repeat the request with its Idempotency-Key.';
    const about = { objectType: 'payment', id: payment.id, paymentId: payment.id, dependency: 'payment-provider' };
    return new Problem('dependency_timeout', detail, about);
  }
  return published(payment);
}

/**
 * An order may be paid in these states. Checkout pays a draft. In the later states, an amount is outstanding only after an authorisation was
 * voided or expired, or after a refund before the completion. Otherwise the amount is refused.
 */
const PAYABLE_STATES: readonly OrderToPay['state'][] = ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled'];

/** @throws Problem `invalid_state_transition` for an order that cannot be paid; `validation_failed` for another order */
function refuseUnpayable(order: OrderToPay, request: { readonly orderId: string }): void {
  if (order.orderId !== request.orderId) {
    throw invalid('/payable/orderId', 'other_order', `payable is about "${order.orderId}", the payment about "${request.orderId}".`);
  }
  if (!PAYABLE_STATES.includes(order.state)) {
    const detail = `The order "${order.orderId}" is ${order.state}; it can be paid while it is ${PAYABLE_STATES.join(', ')}.`;
    throw refusal('order', { id: order.orderId, state: order.state }, 'authorise', detail, { allowedFrom: PAYABLE_STATES });
  }
}

/**
 * The amount that may still be authorised: the order without cancelled units, less all payments that are pending, authorised, or
 * captured and not refunded. A refund before the completion of the order is outstanding again, because unpaid goods are not dispatched.
 */
const outstandingOf = (order: OrderToPay, committed: number): Money =>
  money(Math.max(0, requiredFor(order) - committed), order.total.currency);

/** @param requested absent: all that is outstanding */
const isTooMuch = (outstanding: Money, requested = outstanding): boolean => requested.amount <= 0 || requested.amount > outstanding.amount;

type Cash = Required<Pick<PaymentRequest, 'amount' | 'tendered' | 'change'>> & Pick<PaymentRequest, 'rounding'>;

/**
 * Cash pays at most what is outstanding. The customer gets the rest back. Cash that closes the sale is rounded to the smallest coin of the
 * retailer; the exact outstanding amount stands for the rounded one. The till refuses other amounts that coins cannot make.
 */
function inCash(requested: Money, outstanding: Money, { cashRounding: coin }: Pick<Figures, 'cashRounding'>): Cash {
  const { currency } = requested;
  const due = inCoins(outstanding.amount, coin);
  const tendered = requested.amount === outstanding.amount ? due : Math.ceil(requested.amount / coin) * coin;
  const closes = tendered >= due;
  const amount = closes ? outstanding.amount : tendered;
  const rounding = closes ? due - amount : 0;
  return {
    amount: money(amount, currency),
    tendered: money(tendered, currency),
    change: money(closes ? tendered - due : 0, currency),
    rounding: rounding === 0 ? undefined : money(rounding, currency),
  };
}

/** A payment at a provider is one payment here: noted twice, it would pay twice. @throws Problem `conflicting_repeat` */
async function refuseTwin(work: UnitOfWork, { tender, orderId }: Body): Promise<void> {
  const twin = await work.findUnique(payments, 'external', externalKey(tender) ?? '');
  if (!twin) return;
  const of = twin.orderId === orderId ? 'this order' : `the order "${twin.orderId}"`;
  const detail = `The payment "${twin.id}" of ${of} notes "${tender.reference}" of ${tender.provider} already. Give each payment of the provider its own reference; to repeat a call, send it with its Idempotency-Key, or give the payment a reference.`;
  throw conflictingRepeat(detail, { tender: twin.tender, orderId: twin.orderId }, { objectType: 'payment', id: twin.id });
}

const isRedemptionId = (token: string | undefined): token is string => Id.safeParse(token).success;

/**
 * Spends the redemption that is a payment's tender. The payment id is the reference: a repeat for the same payment gets the same
 * answer, and any other payment is refused.
 * @throws Problem that leaves open whether the redemption was spent, with `paymentId`
 */
async function spendRedemption({ call }: Pick<Scope, 'call'>, payment: StoredPayment): Promise<Verdict> {
  const { id, orderId, amount, tender, purchase } = payment;
  if (!isRedemptionId(tender.token)) return { is: 'declined', declineCode: 'unknown_redemption' };
  const body = { redemptionId: tender.token, orderId, amount, purchase };
  try {
    await call(putLedgerEntry, { params: { type: 'spend', reference: id }, body });
    return { is: 'approved' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const declineCode = declineCodeFor(error);
    if (declineCode === undefined) throw new Problem(error.code, error.message, { ...error.context, paymentId: id });
    const available = MoneySchema.safeParse(error.context['availableAmount']);
    return { is: 'declined', declineCode, ...(available.success && { available: available.data }) };
  }
}

/** @returns undefined when the answer leaves open whether the redemption was spent */
function declineCodeFor({ code, status, retryable }: Problem): string | undefined {
  if (code === 'not_found') return 'unknown_redemption';
  return status === 409 && !retryable ? code : undefined;
}
