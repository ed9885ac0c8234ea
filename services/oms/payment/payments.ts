import type { z } from 'zod';
import { listPayments } from '../../../shared/catalog/payment/internal.ts';
import type { Payment as PaymentSchema } from '../../../shared/catalog/payment/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { outstandingOf } from './status.ts';

export type Payment = z.output<typeof PaymentSchema>;

/** All payments of an order. The OMS stores none of it: the Payment Hub owns them. @throws Problem `dependency_*` */
export async function paymentsOf(orderId: string, { call }: Pick<Scope, 'call'>, timeoutMs: number): Promise<readonly Payment[]> {
  const { items } = await call(listPayments, { query: { orderId } }, { timeoutMs });
  return items;
}

/** The payments on which a confirmation is decided. An order that costs nothing needs none, nor the Hub. */
export async function paymentsToDecideOn(order: StoredOrder, scope: Scope): Promise<readonly Payment[]> {
  return order.totals.total.amount === 0 ? [] : paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
}

/** 409 while authorised and captured payments do not cover the total. Those that are being voided do not count any more. */
export function paymentIncomplete(order: StoredOrder, payments: readonly Payment[]): Problem | undefined {
  const voiding = new Set(order.undo && order.undo.payments !== 'all' ? order.undo.payments : []);
  const { amount, currency } = order.totals.total;
  const counting = payments.filter(({ id }) => !voiding.has(id));
  const outstanding = money(outstandingOf(amount, counting), currency);
  if (outstanding.amount === 0) return undefined;
  return new Problem(
    'payment_incomplete',
    `Of ${amount} ${currency} (minor units) ${outstanding.amount} are neither authorised nor captured; authorise them, then confirm again.`,
    { objectType: 'order', id: order.id, outstanding },
  );
}
