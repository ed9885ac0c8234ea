import { invalid } from '../../shared/catalog/problems.ts';
import type { Promotion } from '../../shared/catalog/promotion/reference-data.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { basketVouchers, promotions, vouchers, voucherUses } from './collections.ts';
import { type FoundTier, lookUpTier } from './loyalty-tier.ts';
import { type Line, type PricedLine, priced } from './pricing.ts';
import { applyPromotions, isRunning, type LoyaltyTier } from './promotion-rules.ts';
import {
  applyVouchers,
  canonical,
  excludes,
  type Reason,
  standingReason,
  type VoucherOutcome,
  type VoucherTerms,
} from './voucher-rules.ts';

/** What is priced, for whom, with which codes. */
export interface Goods {
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly basketId?: string | undefined;
  readonly customerId?: string | undefined;
  /** Known already; otherwise it is looked up where a rule asks for it. */
  readonly loyaltyTier?: LoyaltyTier | undefined;
}

export interface JudgedVoucher {
  readonly code: string;
  readonly voucher: VoucherTerms | undefined;
  readonly reason: Reason | undefined;
}

/** Each code once, in the order given. Says what speaks against it whoever buys whatever. */
export async function judge(work: UnitOfWork, codes: readonly string[], basketId: string | undefined): Promise<readonly JudgedVoucher[]> {
  const unique = [...new Set(codes.map(canonical))];
  const held = await withheldBy(work, basketId);
  const uses = await work.counters(voucherUses, unique);
  return Promise.all(
    unique.map(async (code, index) => {
      const voucher = (await work.get(vouchers, code))?.voucher;
      const limited = voucher?.usageLimit !== undefined && !held.includes(code);
      const usesLeft = limited ? (uses[index]?.left ?? 0) : undefined;
      return { code, voucher, reason: standingReason(voucher, { now: work.now, usesLeft }) };
    }),
  );
}

/** Codes of which a basket holds a use, so that pricing it again does not find the last use taken by itself. */
async function withheldBy(work: UnitOfWork, basketId: string | undefined): Promise<readonly string[]> {
  const held = basketId === undefined ? undefined : await work.get(basketVouchers, basketId);
  if (!held || held.state === 'released') return [];
  return held.codes.filter(({ accepted }) => accepted).map(({ code }) => code);
}

/** Promotions in the order of their priority, then vouchers in the order given. Nothing is stored. */
export async function evaluate(goods: Goods, codes: readonly string[], scope: Scope): Promise<VoucherOutcome> {
  refuseUncountable(goods.lines);
  const running = await runningPromotions(scope.work);
  const judged = await judge(scope.work, codes, goods.basketId);
  const { tier } = await tierFor(goods, { running, judged }, scope);
  const purchase = { currency: goods.currency, tier };
  return applyVouchers(applyPromotions(priced(goods.lines), running, purchase), judged, purchase);
}

/** One voucher on an amount whose goods are not known: no promotion is taken off before. */
export async function evaluateAmount(goods: Goods, code: string, scope: Scope): Promise<VoucherOutcome> {
  const judged = await judge(scope.work, [code], goods.basketId);
  const { tier } = await tierFor(goods, { running: [], judged }, scope);
  return applyVouchers(priced(goods.lines), judged, { currency: goods.currency, tier });
}

async function runningPromotions(work: UnitOfWork): Promise<readonly Promotion[]> {
  const { items } = await work.all(promotions);
  return items.map(({ rule }) => rule).filter((rule) => isRunning(rule, work.now));
}

/**
 * The tier, where a rule asks for it. While it cannot be looked up, promotions for members stay out, but a voucher for members that
 * somebody asks for is neither granted nor refused.
 * @throws Problem `dependency_*`
 */
async function tierFor(
  { loyaltyTier, customerId }: Goods,
  { running, judged }: { readonly running: readonly Promotion[]; readonly judged: readonly JudgedVoucher[] },
  scope: Scope,
): Promise<FoundTier> {
  if (loyaltyTier !== undefined || customerId === undefined) return { tier: loyaltyTier };
  const asking = judged.some(({ voucher, reason }) => voucher && !reason && excludes(voucher, undefined));
  if (!asking && !running.some(({ kind }) => kind === 'tier-percent')) return {};
  const found = await lookUpTier(customerId, scope);
  if (asking && found.unknown) throw found.unknown;
  return found;
}

/** Beyond this, sums are no longer exact. */
function refuseUncountable(lines: readonly Line[]): void {
  const sum = lines.reduce((total, { qty, unitPrice }) => total + qty * unitPrice, 0);
  if (!Number.isSafeInteger(sum)) throw invalid('/lines', 'too_big', 'The lines together cost more than can be counted exactly.');
}

/** The discounts of one source over all lines, in the order in which they were taken. */
export function totalsBySource(lines: readonly PricedLine[]) {
  const totals = new Map<string, PricedLine['discounts'][number]>();
  for (const { source, amount } of lines.flatMap(({ discounts }) => discounts)) {
    const key = JSON.stringify([source.promotionId ?? null, source.voucherCode ?? null]);
    totals.set(key, { source, amount: amount + (totals.get(key)?.amount ?? 0) });
  }
  return [...totals.values()];
}
