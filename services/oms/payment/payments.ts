import type { z } from 'zod';
import { listPayments } from '../../../shared/catalog/payment/internal.ts';
import type { Payment as PaymentSchema } from '../../../shared/catalog/payment/objects.ts';
import { awaiting, pendingInWords } from '../../../shared/catalog/payment/pending.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../../shared/domain/money.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { outstandingOf } from './status.ts';

export type Payment = z.output<typeof PaymentSchema>;

/** All payments of an order, from the Payment Hub. The OMS stores none of them. @throws Problem `dependency_*` */
export async function paymentsOf(orderId: string, { call }: Pick<Scope, 'call'>, timeoutMs: number): Promise<readonly Payment[]> {
  const { items } = await call(listPayments, { query: { orderId } }, { timeoutMs });
  return items;
}

/** The payments that decide a confirmation. An order that costs nothing needs none, and the Payment Hub is not called. */
export async function paymentsToDecideOn(order: StoredOrder, scope: Scope): Promise<readonly Payment[]> {
  return order.totals.total.amount === 0 ? [] : paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
}

/** 409 while authorised and captured payments do not cover the total. Payments that are about to be reversed do not count. */
export function paymentIncomplete(order: StoredOrder, payments: readonly Payment[]): Problem | undefined {
  const reversing = new Set(order.undo && order.undo.payments !== 'all' ? order.undo.payments : []);
  const { amount, currency } = order.totals.total;
  const counting = payments.filter(({ id }) => !reversing.has(id));
  const outstanding = money(outstandingOf(amount, counting), currency);
  if (outstanding.amount === 0) return undefined;
  const missing = `${moneyInWords(outstanding)} of ${moneyInWords(order.totals.total)} are neither authorised nor captured`;
  const about = { objectType: 'order', id: order.id, outstanding };
  const pending = counting.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return new Problem('payment_incomplete', `${missing}; authorise them, then confirm again.`, about);
  return new Problem(
    'payment_incomplete',
    `${missing}; ${pendingInWords(pending)} is not decided yet. Wait for that, authorise what is missing then, and confirm again.`,
    { ...about, ...awaiting(pending) },
  );
}
