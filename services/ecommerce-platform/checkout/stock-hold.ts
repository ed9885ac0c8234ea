import { releaseReservation, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import { isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type Basket, type CheckoutRecord, checkouts } from '../collections.ts';

/** How long a checkout holds stock and prices without an order. The source document does not specify it. */
const CHECKOUT_TTL_SECONDS = 900;
const TIMEOUT_MS = 5_000;

export type HeldCheckout = CheckoutRecord & { readonly hold: NonNullable<CheckoutRecord['hold']> & { readonly expiresAt: string } };

/**
 * Reserves the stock of every line for the time of the checkout, all or nothing. The reservation is committed to the record before the
 * checkout continues, so that the due work that undoes the checkout can release it.
 * @param vouchers whether voucher uses will be locked next
 * @throws Problem 409 `insufficient_stock` with every SKU that is short; 503, 504
 */
export async function holdStock(
  { work, call }: Scope,
  { basket, record, vouchers }: { basket: Basket; record: CheckoutRecord; vouchers: boolean },
): Promise<HeldCheckout> {
  const { hold } = record;
  if (hold?.expiresAt !== undefined && hold.basketVersion === basket.version && record.vouchers === vouchers) {
    return { ...record, hold: { ...hold, expiresAt: hold.expiresAt } };
  }
  const items = basket.lines.map(({ sku, qty }) => ({ sku, qty }));
  const reservation = await retryLostAnswer(() =>
    call(
      reserveInventory,
      { body: { basketId: basket.id, items, ttlSeconds: CHECKOUT_TTL_SECONDS } },
      { step: `checkout ${record.attempt} ${digest(JSON.stringify(items))}`, timeoutMs: TIMEOUT_MS },
    ),
  );
  const held = {
    reservationId: reservation.id,
    expiresAt: reservation.expiresAt ?? instant(work.now + CHECKOUT_TTL_SECONDS * 1_000),
    basketVersion: basket.version,
  };
  const next = work.put(checkouts, { ...record, hold: held, vouchers: record.vouchers || vouchers });
  await work.checkpoint();
  return { ...next, hold: held };
}

/** Releases a reservation. A reservation that is unknown, or that an order has consumed, needs no release. */
export async function releaseHold({ call }: Scope, reservationId: string): Promise<void> {
  try {
    await call(releaseReservation, { params: { id: reservationId } }, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof Problem && !error.retryable && (error.status === 404 || error.status === 409)) return;
    throw error;
  }
}

/** Repeats a call once, under the same key, when its answer was lost. @throws Problem of the call */
export async function retryLostAnswer<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (lost) {
    if (!isUnknownOutcome(lost)) throw lost;
    return call().catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'idempotency_in_progress' ? lost : error;
    });
  }
}
