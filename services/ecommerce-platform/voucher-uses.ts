import { recordVoucherUse } from '../../shared/catalog/promotion/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { Basket } from './collections.ts';
import { appliedCodes, type Discounts, evaluateDiscounts, isSameCode, rejectedVoucher, type Shopper, type Voucher } from './discounts.ts';
import type { LineWithPrice } from './pricing.ts';
import { retryLostAnswer } from './stock-reservation.ts';

const TIMEOUT_MS = 5_000;

interface VouchersToLock {
  readonly basketId: string;
  readonly attempt: number;
  readonly lines: readonly LineWithPrice[];
  /** The evaluation before any use was locked. */
  readonly discounts: Discounts;
  readonly shopper: Shopper;
  /** Codes whose uses the basket already has. It keeps them until its change is committed. */
  readonly standing?: readonly string[];
}

/** Locks a use of each applied voucher. Without a use left, a code is rejected and the others are evaluated again. @throws Problem */
export async function lockVouchers(scope: Scope, toLock: VouchersToLock): Promise<Discounts> {
  const { basketId, attempt, lines, shopper, standing = [] } = toLock;
  const vouchers = new Map(toLock.discounts.vouchers.map((voucher) => [voucher.code.toUpperCase(), voucher]));
  let { discounts } = toLock;
  let codes = appliedCodes(discounts);
  let locked: readonly string[] = [];
  while (codes.length > 0 && codes.join() !== locked.join()) {
    const kept = standing.filter((code) => !codes.some((other) => isSameCode(code, other)));
    const answer = await lockUses(scope, {
      basketId,
      attempt,
      step: 'checkout',
      codes: [...codes, ...kept],
      customerId: shopper.customerId,
    });
    const refused = answer.filter(({ code }) => codes.some((other) => isSameCode(code, other)));
    for (const { code, reason } of refused) vouchers.set(code.toUpperCase(), rejectedVoucher(code, reason, scope.work.figures.currency));
    locked = codes.filter((code) => !refused.some((other) => isSameCode(other.code, code)));
    if (refused.length === 0) break;
    discounts = await evaluateDiscounts(scope, { basketId, lines, codes: locked, shopper, attempt });
    for (const voucher of discounts.vouchers) vouchers.set(voucher.code.toUpperCase(), voucher);
    codes = appliedCodes(discounts);
  }
  if (codes.length === 0 && locked.length > 0 && standing.length === 0)
    await releaseVouchers(scope, basketId, { attempt, step: 'checkout' });
  return { ...discounts, vouchers: [...vouchers.values()] satisfies Voucher[] };
}

/** A step of a checkout, which has the number `attempt`. */
interface StepOfCheckout {
  readonly attempt: number;
  readonly step: string;
}

/** @returns the codes whose use was refused */
async function lockUses(
  { call }: Scope,
  { basketId, attempt, step, codes, customerId }: StepOfCheckout & { basketId: string; codes: string[]; customerId: string | undefined },
): Promise<{ code: string; reason: string }[]> {
  const answer = await retryLostAnswer(() =>
    call(
      recordVoucherUse,
      { params: { basketId }, body: { state: 'locked', codes, customerId, attempt } },
      { step: `${step} ${attempt} ${codes.join()}`, timeoutMs: TIMEOUT_MS },
    ),
  );
  return answer.codes.filter(({ accepted }) => !accepted).map(({ code, reason }) => ({ code, reason: reason ?? 'quantity_exceeded' }));
}

/** Keeps the uses of the vouchers that the basket shows as applied, and releases all others. */
export async function keepVoucherUses(scope: Scope, basket: Basket, attempt: number): Promise<void> {
  const { id: basketId, state, customerId } = basket;
  const codes = state === 'locked' || state === 'converted' ? appliedCodes(basket) : [];
  if (codes.length === 0) await releaseVouchers(scope, basketId, { attempt, step: 'change' });
  else await lockUses(scope, { basketId, attempt, step: 'keep', codes, customerId });
}

export async function releaseVouchers({ call }: Scope, basketId: string, { attempt, step }: StepOfCheckout): Promise<void> {
  const options = { step: `release ${step} ${attempt}`, timeoutMs: TIMEOUT_MS };
  await call(recordVoucherUse, { params: { basketId }, body: { state: 'released', attempt } }, options);
}
