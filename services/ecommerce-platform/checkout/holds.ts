import { releaseReservation, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { recordVoucherUse } from '../../../shared/catalog/promotion/internal.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { LineWithPrice } from '../basket/price.ts';
import { type Discounts, evaluateDiscounts, rejectedVoucher, type Shopper, sameCode, type Voucher } from '../basket/promotions.ts';
import { CHECKOUT_TTL_SECONDS } from '../basket/timers.ts';
import { type Basket, type CheckoutRecord, checkouts } from '../collections.ts';
import { askTwice } from './record.ts';

const PATIENCE_MS = 5_000;

export type Holding = CheckoutRecord & { readonly hold: NonNullable<CheckoutRecord['hold']> & { readonly expiresAt: string } };

/**
 * Holds the stock of every line for the time of the checkout, all or nothing, and commits what is held before anything else is
 * done: whoever undoes the checkout then knows it.
 * @param vouchers whether voucher uses will be locked next
 * @throws Problem 409 `insufficient_stock` with every SKU that is short; 503, 504
 */
export async function holdStock(
  { work, call }: Scope,
  { basket, record, vouchers }: { basket: Basket; record: CheckoutRecord; vouchers: boolean },
): Promise<Holding> {
  const { hold } = record;
  if (hold?.expiresAt !== undefined && hold.basketVersion === basket.version && record.vouchers === vouchers) {
    return { ...record, hold: { ...hold, expiresAt: hold.expiresAt } };
  }
  const items = basket.lines.map(({ sku, qty }) => ({ sku, qty }));
  const reservation = await askTwice(() =>
    call(
      reserveInventory,
      { body: { basketId: basket.id, items, ttlSeconds: CHECKOUT_TTL_SECONDS } },
      { step: `checkout ${record.attempt} ${digest(JSON.stringify(items))}`, timeoutMs: PATIENCE_MS },
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

export interface VouchersToLock {
  readonly basketId: string;
  readonly attempt: number;
  readonly lines: readonly LineWithPrice[];
  /** With the codes that look good so far. */
  readonly discounts: Discounts;
  readonly shopper: Shopper;
  /** Codes of which the basket has a use and keeps it for now. */
  readonly standing?: readonly string[];
}

export const appliedCodes = ({ vouchers }: Discounts): string[] =>
  vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code);

/**
 * Locks one use of each voucher. Somebody else may have had the last one meanwhile: such a code is rejected, and prices are
 * computed again with the others only.
 * @throws Problem 503, 504
 */
export async function lockVouchers(scope: Scope, asked: VouchersToLock): Promise<Discounts> {
  const { basketId, attempt, lines, shopper, standing = [] } = asked;
  const said = new Map(asked.discounts.vouchers.map((voucher) => [voucher.code.toUpperCase(), voucher]));
  let { discounts } = asked;
  let codes = appliedCodes(discounts);
  let locked: readonly string[] = [];
  while (codes.length > 0 && codes.join() !== locked.join()) {
    const kept = standing.filter((code) => !codes.some((other) => sameCode(code, other)));
    const answer = await lockUse(scope, {
      basketId,
      step: `checkout ${attempt}`,
      codes: [...codes, ...kept],
      customerId: shopper.customerId,
    });
    const refused = answer.filter(({ code }) => codes.some((other) => sameCode(code, other)));
    for (const { code, reason } of refused) said.set(code.toUpperCase(), rejectedVoucher(code, reason));
    locked = codes.filter((code) => !refused.some((other) => sameCode(other.code, code)));
    if (refused.length === 0) break;
    discounts = await evaluateDiscounts(scope, { basketId, lines, codes: locked, shopper, attempt });
    for (const voucher of discounts.vouchers) said.set(voucher.code.toUpperCase(), voucher);
    codes = appliedCodes(discounts);
  }
  if (codes.length === 0 && locked.length > 0 && standing.length === 0) await releaseVouchers(scope, basketId, `checkout ${attempt}`);
  return { ...discounts, vouchers: [...said.values()] satisfies Voucher[] };
}

/** @returns the codes whose use was refused */
async function lockUse(
  { call }: Scope,
  { basketId, step, codes, customerId }: { basketId: string; step: string; codes: string[]; customerId: string | undefined },
): Promise<{ code: string; reason: string }[]> {
  const answer = await askTwice(() =>
    call(
      recordVoucherUse,
      { params: { basketId }, body: { state: 'locked', codes, customerId } },
      { step: `${step} ${codes.join()}`, timeoutMs: PATIENCE_MS },
    ),
  );
  return answer.codes.filter(({ accepted }) => !accepted).map(({ code, reason }) => ({ code, reason: reason ?? 'quantity_exceeded' }));
}

/** Leaves a basket the uses of the vouchers that it says, and no others. */
export async function keepVoucherUses(scope: Scope, { id: basketId, state, vouchers, customerId }: Basket, attempt: number): Promise<void> {
  const isOrdered = state === 'locked' || state === 'converted';
  const codes = isOrdered ? vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code) : [];
  if (codes.length === 0) await releaseVouchers(scope, basketId, `change ${attempt}`);
  else await lockUse(scope, { basketId, step: `keep ${attempt}`, codes, customerId });
}

export async function releaseVouchers({ call }: Scope, basketId: string, step: string): Promise<void> {
  await call(recordVoucherUse, { params: { basketId }, body: { state: 'released' } }, { step: `release ${step}`, timeoutMs: PATIENCE_MS });
}

/** Gives held stock back. One that is gone, or that an order has consumed, has nothing to give. */
export async function releaseHold({ call }: Scope, reservationId: string): Promise<void> {
  try {
    await call(releaseReservation, { params: { id: reservationId } }, { timeoutMs: PATIENCE_MS });
  } catch (error) {
    if (error instanceof Problem && !error.retryable && (error.status === 404 || error.status === 409)) return;
    throw error;
  }
}
