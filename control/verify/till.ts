import { committedBy, isUndecided, keptOf } from '../../shared/catalog/payment/cover.ts';
import { owedAfterFailures } from '../../shared/catalog/payment/refunds.ts';
import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import type { Basket, Order, Payment } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** A transaction as the POS stores it. */
interface Transaction {
  readonly id: string;
  readonly state: 'opening' | 'given-up' | 'open' | 'paid' | 'completed' | 'voided';
  readonly compensation?: 'pending';
  /** The order that its customer collects and pays. */
  readonly collection?: { readonly fulfillmentOrderId: string };
  readonly tenders?: readonly Payment[];
}

export function till(world: WorldRecords): InvariantResult {
  const { check, result } = findings('till');
  const transactions = world.records<Transaction>('pos', 'transactions');
  const baskets = grouped(world.of<Basket>('basket'), ({ transactionId }) => transactionId ?? '');
  const orders = new Map(world.of<Order>('order').map((order) => [order.id, order]));
  const paymentsOf = grouped(world.of<Payment>('payment'), ({ orderId }) => orderId);
  for (const transaction of transactions) {
    checkMoves(world, transaction, check);
    checkCash(transaction, check);
    const { id, state } = transaction;
    if (transaction.collection) {
      checkCollection(transaction, { order: orders.get(id), payments: paymentsOf.get(id) ?? [], sold: baskets.has(id) }, check);
      continue;
    }
    if (state === 'completed')
      check(isCarriedOut(orders.get(id)), `transaction/${id}: completed, and order/${id} is ${orders.get(id)?.state ?? 'missing'}`);
    if (state !== 'voided' || transaction.compensation) continue;
    const order = orders.get(id);
    check(order === undefined || order.state === 'cancelled', `transaction/${id}: voided, and order/${id} is ${order?.state}`);
    for (const payment of paymentsOf.get(id) ?? []) {
      check(!bindsMoney(payment), `transaction/${id}: voided, and payment/${payment.id} is ${payment.state}`);
    }
    for (const basket of baskets.get(id) ?? []) {
      const isOver = basket.state === 'abandoned' || (order !== undefined && basket.state === 'converted');
      check(isOver, `transaction/${id}: voided, and basket/${basket.id} is ${basket.state}`);
    }
  }
  const known = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  for (const { id, orderId, transactionId } of world.of<Payment>('payment')) {
    if (transactionId === undefined || world.swapped.has('pos')) continue;
    const isOwn = transactionId === orderId && known.get(transactionId)?.collection !== undefined;
    check(isOwn, `payment/${id}: pays for order/${orderId}, and the till took it with transaction/${transactionId}`);
  }
  for (const { id, state, transactionId } of world.of<Basket>('basket')) {
    if (transactionId === undefined || state !== 'locked') continue;
    const isExpected = known.has(transactionId) && (known.get(transactionId)?.state !== 'given-up' || world.queued('pos', transactionId));
    check(isExpected, `basket/${id}: locked for transaction/${transactionId}, and nobody will pay for it or abandon it`);
  }
  return result();
}

/**
 * The payment of an order that is collected. It sells nothing, its order was not sold at a till, and a void returns what the till took. The customer
 * may have paid more elsewhere.
 */
function checkCollection(
  { id, state, compensation }: Transaction,
  { order, payments, sold }: { readonly order: Order | undefined; readonly payments: readonly Payment[]; readonly sold: boolean },
  check: Check,
): void {
  check(!sold, `transaction/${id}: takes the payment of an order, and has sold a basket`);
  check(order?.collection !== undefined, `transaction/${id}: takes the payment of order/${id}, which nobody collects`);
  check(order?.channel !== 'pos', `transaction/${id}: takes the payment of order/${id}, which was sold at a till`);
  if (state !== 'voided' || compensation) return;
  for (const payment of payments.filter(({ transactionId }) => transactionId === id)) {
    check(!bindsMoney(payment), `transaction/${id}: voided, and payment/${payment.id} is ${payment.state}`);
  }
}

/** Cash as the receipt shows it: what pays the sale, what was given back since, its rounding and the change are what the customer handed over. */
function checkCash({ id, tenders = [] }: Transaction, check: Check): void {
  for (const tender of tenders) {
    const paid = committedBy(tender);
    if (!tender.tendered || paid === 0) continue;
    const [given, back, rounded] = [tender.tendered.amount, tender.change?.amount ?? 0, tender.rounding?.amount ?? 0];
    const since = Math.max(0, tender.authorizedAmount.amount - paid);
    check(
      paid + since + rounded + back === given,
      `transaction/${id}: payment/${tender.id} pays ${paid}, ${since} was given back and ${back} is change, of cash of ${given}`,
    );
  }
}

/** An open transaction must have work that ends it. */
function checkMoves({ queued }: WorldRecords, { id, state, compensation }: Transaction, check: Check): void {
  const moves = state === 'opening' || state === 'open' || state === 'paid' || compensation !== undefined;
  if (moves) check(queued('pos', id), `transaction/${id}: ${compensation ? 'being undone' : state}, and nothing will move it`);
}

const isCarriedOut = (order: Order | undefined): boolean => order?.state === 'completed' || order?.state === 'return-in-progress';

/** Whether a payment holds money that nothing gives back. Undecided disputes delay it, and a client repeats a failed refund. */
function bindsMoney(payment: Payment): boolean {
  const { state, voidOnApproval, refundWhenDecided } = payment;
  if (isUndecided({ state })) return !voidOnApproval;
  if (state === 'captured' || state === 'partially-refunded') return !refundWhenDecided && keptOf(payment) > owedAfterFailures([payment]);
  return state === 'authorised';
}
