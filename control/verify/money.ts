import { isUndecided, shippingOf, withdrawnBy } from '../../shared/catalog/payment/cover.ts';
import { committedOf, hasFailed } from '../../shared/catalog/payment/refunds.ts';
import { addedTax, floorShare, inCoins } from '../../shared/domain/money.ts';
import { type Check, findings, grouped, type InvariantResult, sums } from './invariant.ts';
import { type FulfillmentOrder, hasLeft, type Order, type Payment } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

export function money(world: WorldRecords): InvariantResult {
  const { of } = world;
  const { check, result } = findings('money');
  const payments = of<Payment>('payment');
  for (const payment of payments) {
    checkPayment(world, payment, check);
    checkPendingRefunds(world, payment, check);
    checkDisputes(world, payment, check);
  }
  const paymentsOf = grouped(payments, ({ orderId }) => orderId);
  const shipped = new Set(
    of<FulfillmentOrder>('fulfillment-order')
      .filter(hasLeft)
      .map(({ orderId }) => orderId),
  );
  const waiting = waitingRefunds(world);
  for (const order of of<Order>('order')) {
    const paid = paymentsOf.get(order.id) ?? [];
    checkTotals(order, check);
    checkChanges(order, check);
    checkNotOvercommitted(order, { payments: paid, waiting: waiting.get(order.id) ?? 0 }, check);
    const isCarriedOut = order.channel === 'pos' && order.completedAt !== undefined;
    const isHandedOver = order.replacements?.some(
      ({ storeId, lines }) => storeId !== undefined && lines.some(({ deliveredQty }) => deliveredQty > 0),
    );
    if ((shipped.has(order.id) || isCarriedOut || isHandedOver) && order.state !== 'cancelled') checkShippedIsPaid(order, paid, check);
  }
  checkCounters(world, payments, check);
  return result();
}

function checkPayment(world: WorldRecords, payment: Payment, check: Check): void {
  const { swapped } = world;
  const { id, state, amount, authorizedAmount, capturedAmount, refundedAmount, refunds } = payment;
  const numbers = [amount.amount, authorizedAmount.amount, capturedAmount.amount, refundedAmount.amount];
  check(
    numbers.every((value) => Number.isSafeInteger(value) && value >= 0),
    `payment/${id}: amounts are not integers ≥ 0: ${numbers.join(', ')}`,
  );
  check(authorizedAmount.amount <= amount.amount, `payment/${id}: authorised ${authorizedAmount.amount} > requested ${amount.amount}`);
  const isPart = isHeld(state) && authorizedAmount.amount < amount.amount;
  check(
    // A real system does not show whether its request accepts a part.
    !isPart || payment.acceptPartial === true || swapped.has('payment-hub'),
    `payment/${id}: authorised ${authorizedAmount.amount} of ${amount.amount}, and its request accepts no part`,
  );
  check(
    capturedAmount.amount <= authorizedAmount.amount,
    `payment/${id}: captured ${capturedAmount.amount} > authorised ${authorizedAmount.amount}`,
  );
  check(
    refundedAmount.amount <= capturedAmount.amount,
    `payment/${id}: refunded ${refundedAmount.amount} > captured ${capturedAmount.amount}`,
  );
  checkChange(world, payment, check);
  const listed = committedOf(refunds);
  check(listed === refundedAmount.amount, `payment/${id}: its refunds add up to ${listed}, not to ${refundedAmount.amount}`);
  const isCaptured = state === 'captured' || state === 'partially-refunded' || state === 'fully-refunded';
  check(isCaptured === capturedAmount.amount > 0, `payment/${id}: ${state} with ${capturedAmount.amount} captured`);
  check(
    (state === 'requires-action') === (payment.nextAction !== undefined),
    `payment/${id}: ${state} ${payment.nextAction ? 'with' : 'without'} an action of its customer`,
  );
  check(
    (state === 'fully-refunded') === (isCaptured && refundedAmount.amount === capturedAmount.amount),
    `payment/${id}: ${state} with ${refundedAmount.amount} of ${capturedAmount.amount} refunded`,
  );
}

/** Cash pays its amount, rounded to the smallest coin, and gives the rest back. No other tender gives change or is rounded. */
function checkChange({ figures: { cashRounding: coin }, swapped }: WorldRecords, payment: Payment, check: Check): void {
  const { id, tender, amount, tendered, change, rounding, refunds } = payment;
  const rounded = rounding?.amount ?? 0;
  if (tender.type !== 'cash') {
    check(!tendered && !change, `payment/${id}: ${tender.type} with cash of ${tendered?.amount ?? 0} and change of ${change?.amount ?? 0}`);
    const isExact = rounded === 0 && refunds.every((refund) => refund.rounding === undefined);
    check(isExact, `payment/${id}: ${tender.type}, and rounded as cash`);
    return;
  }
  const [given, back] = [tendered?.amount ?? 0, change?.amount ?? 0];
  const inWords = rounded === 0 ? `${amount.amount}` : `${amount.amount} and a rounding of ${rounded}`;
  check(
    back >= 0 && given - back === amount.amount + rounded,
    `payment/${id}: cash of ${given} less change of ${back} does not pay ${inWords}`,
  );
  // A real system may have other coins.
  if (swapped.has('payment-hub')) return;
  const paid = amount.amount + rounded;
  check(
    paid === inCoins(amount.amount, coin) && given % coin === 0,
    `payment/${id}: cash of ${given} pays ${paid} for ${amount.amount}, and the smallest coin is ${coin}`,
  );
  let [before, paidBack] = [0, 0];
  for (const [index, refund] of refunds.entries()) {
    before += refund.amount.amount;
    paidBack += refund.amount.amount + (refund.rounding?.amount ?? 0);
    check(
      paidBack === inCoins(before, coin),
      `payment/${id}: ${paidBack} of ${before} are refunded in cash by its refund ${index + 1}, and the smallest coin is ${coin}`,
    );
  }
}

/** Each pending refund has work that decides it, or is external and waits for its client, and a decision has its instant and, after a failure, its reason. */
function checkPendingRefunds({ queued }: WorldRecords, { id, tender, refunds }: Payment, check: Check): void {
  for (const [index, { state, decidedAt, failureReason }] of refunds.entries()) {
    const name = `payment/${id}: its refund ${index + 1} is ${state}`;
    check(
      state !== 'pending' || tender.type === 'external' || queued('payment-hub', id, 'decide-refund'),
      `${name}, and nothing will decide it`,
    );
    check(state !== 'pending' || decidedAt === undefined, `${name}, and was decided at ${decidedAt}`);
    check((state === 'failed') === (failureReason !== undefined), `${name} with the reason ${failureReason}`);
  }
}

/** Disputed money is captured and not refunded, each dispute costs the fee, and an open one has work that decides it. */
function checkDisputes({ queued, figures, swapped }: WorldRecords, payment: Payment, check: Check): void {
  const { id, tender, capturedAmount, refundedAmount, disputes = [], refundWhenDecided } = payment;
  const withdrawn = withdrawnBy(disputes);
  check(
    withdrawn + refundedAmount.amount <= capturedAmount.amount,
    `payment/${id}: disputes withdrew ${withdrawn} and refunds ${refundedAmount.amount} of ${capturedAmount.amount}`,
  );
  const open = disputes.filter(({ state }) => state === 'open');
  check(open.length <= 1, `payment/${id}: ${open.length} disputes are open`);
  check(open.length === 0 || queued('payment-hub', id, 'lose-dispute'), `payment/${id}: disputed, and nothing will decide it`);
  check(!refundWhenDecided || open.length > 0, `payment/${id}: to be refunded after a dispute, and none is open`);
  check(disputes.length === 0 || DISPUTABLE.has(tender.type), `payment/${id}: disputed, and paid by ${tender.type}`);
  for (const { id: name, state, amount, fee, decidedAt } of disputes) {
    const isFee = fee.amount === figures.disputeFee || swapped.has('payment-hub');
    check(amount.amount > 0 && isFee, `${name}: ${amount.amount} are disputed for a fee of ${fee.amount}`);
    check((state === 'open') === (decidedAt === undefined), `${name}: ${state}, decided at ${decidedAt}`);
  }
}

/** Tenders with a provider. */
const DISPUTABLE: ReadonlySet<string> = new Set(['card', 'bnpl', 'external']);

const isHeld = (state: Payment['state']): boolean => !isUndecided({ state }) && state !== 'failed' && state !== 'voided';

function checkTotals({ id, lines, totals }: Order, check: Check): void {
  const goods = lines.reduce((sum, line) => sum + line.lineTotal.amount, 0);
  const discount = lines.reduce((sum, line) => sum + line.discount.amount, 0);
  const shipping = shippingOf(totals);
  const isAdded = totals.taxIncluded === false;
  const added = isAdded ? totals.tax.amount : 0;
  check(
    goods + shipping === totals.total.amount,
    `order/${id}: lines ${goods} and shipping ${shipping} are not the total ${totals.total.amount}`,
  );
  check(discount === totals.discount.amount, `order/${id}: line discounts add up to ${discount}, not to ${totals.discount.amount}`);
  check(
    totals.subtotal.amount - totals.discount.amount + totals.shipping.amount + added === totals.total.amount,
    `order/${id}: totals do not add up`,
  );
  if (isAdded) checkAddedTax({ id, lines, totals }, check);
  else check(!totals.taxes && !totals.shippingTax, `order/${id}: adds tax to prices that include it`);
}

/** Added tax: of each line by its rate after the discount, of shipping, and the sums by rate. */
function checkAddedTax({ id, lines, totals }: Pick<Order, 'id' | 'lines' | 'totals'>, check: Check): void {
  const taxable = new Map<number, number>();
  const taxed = new Map<number, number>();
  for (const { lineId, qty, unitPrice, discount, tax, taxRate = 0, lineTotal } of lines) {
    const net = qty * unitPrice.amount - discount.amount;
    const isTaxed = tax.amount === addedTax(net, taxRate) && lineTotal.amount === net + tax.amount;
    check(
      isTaxed,
      `order/${id}: its line ${lineId} of ${net} with ${taxRate} % adds a tax of ${tax.amount}, and costs ${lineTotal.amount}`,
    );
    taxable.set(taxRate, (taxable.get(taxRate) ?? 0) + net);
    taxed.set(taxRate, (taxed.get(taxRate) ?? 0) + tax.amount);
  }
  const { taxes = [], shipping, shippingTax, tax } = totals;
  const beyond = { taxable: -shipping.amount, tax: -(shippingTax?.amount ?? 0) };
  for (const one of taxes) {
    const ofShipping = one.taxable.amount - (taxable.get(one.rate) ?? 0);
    const taxOfShipping = one.tax.amount - (taxed.get(one.rate) ?? 0);
    const isSum = ofShipping >= 0 && taxOfShipping === addedTax(ofShipping, one.rate);
    check(
      isSum,
      `order/${id}: its tax of ${one.rate} % is ${one.tax.amount} of ${one.taxable.amount}, and its lines and shipping have another`,
    );
    beyond.taxable += ofShipping;
    beyond.tax += taxOfShipping;
  }
  const ofTaxes = taxes.reduce((sum, one) => sum + one.tax.amount, 0);
  const isWhole = beyond.taxable === 0 && beyond.tax === 0 && ofTaxes === tax.amount && taxes.length >= taxed.size;
  check(isWhole, `order/${id}: its taxes by rate add up to ${ofTaxes}, and its tax is ${tax.amount}`);
}

/** Minor units by order that its changes give back and that are not refunded: they wait for a capture, or for a client. */
function waitingRefunds({ records }: WorldRecords): Map<string, number> {
  const owing = records<{ id: string; owed: readonly { reference: string; amount: number; status: string }[] }>(
    'oms',
    'fulfilment-records',
  );
  const ofChange = ({ reference, status }: (typeof owing)[number]['owed'][number]): boolean =>
    reference.startsWith('cancelled/change/') && status !== 'paid';
  return new Map(owing.map(({ id, owed }) => [id, owed.filter(ofChange).reduce((sum, { amount }) => sum + amount, 0)]));
}

/** Each change begins with the cost after the one before, gives back at most the difference, and never makes the order dearer. */
function checkChanges({ id, changes = [], totals }: Order, check: Check): void {
  for (const [index, { before, after, refund, removed = [] }] of changes.entries()) {
    const name = `order/${id}: its change ${index + 1}`;
    const next = changes[index + 1]?.before ?? totals;
    const less = before.total.amount - after.total.amount;
    check(less >= 0, `${name} costs ${-less} more`);
    check(
      refund.amount >= 0 && refund.amount <= less,
      `${name} from ${before.total.amount} to ${after.total.amount} gives back ${refund.amount}`,
    );
    check(
      next.total.amount === after.total.amount && next.shipping.amount === after.shipping.amount,
      `${name} leaves ${after.total.amount} with shipping of ${after.shipping.amount}, and then the order costs ${next.total.amount} with ${next.shipping.amount}`,
    );
    check(
      removed.every(({ qty }) => qty > 0),
      `${name} removes no units`,
    );
  }
}

/** The amount that a payment commits to its order, before refunds. */
function grossCommitment({ state, amount, authorizedAmount, capturedAmount }: Payment): number {
  if (state === 'failed' || state === 'voided') return 0;
  if (isUndecided({ state })) return amount.amount;
  return state === 'authorised' ? authorizedAmount.amount : capturedAmount.amount;
}

function checkNotOvercommitted(
  { id, totals }: Order,
  { payments, waiting }: { readonly payments: readonly Payment[]; readonly waiting: number },
  check: Check,
): void {
  // A refund may fail after another payment has paid for it. The order then has too much, which is owed.
  const failed = payments.flatMap(({ refunds }) => refunds.filter(hasFailed)).reduce((sum, { amount }) => sum + amount.amount, 0);
  const bound = payments.reduce((sum, payment) => sum + netCommitment(payment), 0) - failed;
  const most = totals.total.amount + waiting;
  check(
    bound <= most,
    `order/${id}: payments of ${bound} for a total of ${totals.total.amount}, and ${waiting} are to be refunded for changes`,
  );
}

/** The amount that a payment commits to its order: authorised or captured, less refunds. */
export const netCommitment = (payment: Payment): number => grossCommitment(payment) - payment.refundedAmount.amount;

/** The Payment Hub decides by counters, which must agree with its payments. */
function checkCounters({ counters, seed }: WorldRecords, payments: readonly Payment[], check: Check): void {
  const begun = seed.applications['payment-hub']?.counters['gift-card-balances'] ?? {};
  const ofGiftCards = sums(
    payments.filter(({ tender }) => tender.type === 'gift-card'),
    ({ tender: { token = '' } }) => token,
    netCommitment,
  );
  const paidOut = sums(
    payments.flatMap(({ refunds }) => refunds.filter(({ payOutTo }) => payOutTo !== undefined)),
    ({ payOutTo }) => payOutTo?.token ?? '',
    ({ amount }) => amount.amount,
  );
  for (const [token, { balance = 0, noted = 0 }] of Object.entries(counters('payment-hub', 'gift-card-balances'))) {
    const kept = ofGiftCards.get(token) ?? 0;
    const had = (begun[token]?.['balance'] ?? 0) + noted;
    const received = paidOut.get(token) ?? 0;
    check(
      had - kept + received === balance,
      `gift card ${token}: ${balance} of ${had} are left, payments keep ${kept}, and refunds added ${received}`,
    );
  }
  const paymentsOf = grouped(payments, ({ orderId }) => orderId);
  for (const [orderId, { committed = 0, payments: counted = 0 }] of Object.entries(counters('payment-hub', 'order-covers'))) {
    const ofOrder = paymentsOf.get(orderId) ?? [];
    const promised = ofOrder.reduce((sum, payment) => sum + netCommitment(payment), 0);
    check(committed === promised, `order/${orderId}: ${committed} count as committed, and its payments commit ${promised}`);
    check(counted === ofOrder.length, `order/${orderId}: ${counted} payments are counted, and it has ${ofOrder.length}`);
  }
}

/**
 * Goods may ship only when the captured amount covers the lines that are not cancelled, plus shipping. Refunds by the estate for goods that
 * were never delivered reduce that amount; refunds of returns do not. A manual refund without a reference is goodwill and does not reduce it either.
 */
function checkShippedIsPaid({ id, lines, totals }: Order, payments: readonly Payment[], check: Check): void {
  const kept = payments.reduce((sum, { capturedAmount, refunds }) => {
    const paidBack = committedOf(refunds.filter(({ reference, returnId }) => reference !== undefined && returnId === undefined));
    return sum + capturedAmount.amount - paidBack;
  }, 0);
  const goods = lines.reduce(
    (sum, { lineTotal, qty, cancelledQty }) => sum + lineTotal.amount - floorShare(lineTotal.amount, cancelledQty, qty),
    0,
  );
  const required = goods + shippingOf(totals);
  const named = payments.map((payment) => `payment/${payment.id}`).join(', ') || 'no payment';
  check(kept >= required, `order/${id}: goods have left, and ${named} keep ${kept} of the ${required} that they and the shipping cost`);
}
