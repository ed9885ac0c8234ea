import type { z } from 'zod';
import { getBasket } from '../../shared/catalog/commerce/internal.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { invalid, isDependencyProblem, isProblem, notFound, type Problem } from '../../shared/catalog/problems.ts';
import { evaluatePromotions as evaluatePromotionsApi, validateVoucher as validateVoucherApi } from '../../shared/catalog/promotion/apis.ts';
import type { Promotion } from '../../shared/catalog/promotion/reference-data.ts';
import { stepsBreathing } from '../../shared/domain/breathe.ts';
import { money } from '../../shared/domain/money.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { basketVouchers, promotions, vouchers, voucherUses } from './collections.ts';
import { applyPromotions, isRunning, type Line, type LoyaltyTier, type PricedLine, pricedAtFull } from './promotion-rules.ts';
import {
  applyVouchers,
  canonicalCode,
  excludesTier,
  isWellFormed,
  type Reason,
  standingReason,
  type VoucherOutcome,
  type VoucherTerms,
} from './voucher-rules.ts';

type EvaluateRequest = z.output<typeof evaluatePromotionsApi.serviceRequest>;

export const evaluatePromotions = handle(evaluatePromotionsApi)(async ({ body }, scope) => {
  const goods = await goodsOf(body, scope);
  return answerOf(goods, await evaluate(goods, body.voucherCodes ?? [], scope));
});

/** The lines of the request, or otherwise the lines of its basket. */
async function goodsOf({ basketId, lines, customerId, loyaltyTier, asOf }: EvaluateRequest, { call, work }: Scope): Promise<Goods> {
  const at = asOf === undefined ? undefined : Date.parse(asOf);
  if (lines === undefined) return { ...(await readBasketGoods(call, basketId ?? '', customerId)), loyaltyTier, at };
  return {
    at,
    basketId,
    customerId,
    loyaltyTier,
    currency: work.figures.currency,
    lines: lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice: unitPrice.amount })),
  };
}

function answerOf({ currency }: Goods, { lines, rejected }: VoucherOutcome) {
  const shown = ({ source, amount }: PricedLine['discounts'][number]) => ({ ...source, discount: money(amount, currency) });
  const discountOf = ({ qty, unitPrice, left }: PricedLine): number => qty * unitPrice - left;
  const discount = lines.reduce((sum, line) => sum + discountOf(line), 0);
  return {
    lines: lines.map((line) => ({
      sku: line.sku,
      qty: line.qty,
      unitPrice: money(line.unitPrice, currency),
      discounts: line.discounts.map(shown),
      discount: money(discountOf(line), currency),
      lineTotal: money(line.left, currency),
    })),
    totalDiscount: money(discount, currency),
    applied: totalsBySource(lines).map(shown),
    rejected: [...rejected],
  };
}

type ValidateRequest = z.output<typeof validateVoucherApi.serviceRequest>;

/** A malformed code is 404; a well-formed code that does not exist is `valid: false`. */
export const validateVoucher = handle(validateVoucherApi)(async ({ params, body }, scope) => {
  const code = canonicalCode(params.code);
  if (!isWellFormed(code)) throw notFound('voucher', params.code);
  const { currency, outcome } = await tryVoucher(code, body, scope);
  const reason = outcome.rejected[0]?.reason;
  if (reason) return { valid: false, code, reason };
  const discount = totalsBySource(outcome.lines).find(({ source }) => source.voucherCode === code)?.amount ?? 0;
  return { valid: true, code, discount: money(discount, currency) };
});

async function tryVoucher(
  code: string,
  { basketId, amount, customerId, loyaltyTier }: ValidateRequest,
  scope: Scope,
): Promise<{ currency: string; outcome: VoucherOutcome }> {
  if (amount) {
    const goods: Goods = { currency: amount.currency, customerId, loyaltyTier, lines: [{ sku: '', qty: 1, unitPrice: amount.amount }] };
    return { currency: amount.currency, outcome: await evaluateAmount(goods, code, scope) };
  }
  const goods = { ...(await readBasketGoods(scope.call, basketId ?? '', customerId)), loyaltyTier };
  return { currency: goods.currency, outcome: await evaluate(goods, [code], scope) };
}

interface Goods {
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly basketId?: string;
  readonly customerId?: string;
  /** The tier. If the request omits it, it is read when a rule needs it. */
  readonly loyaltyTier?: LoyaltyTier;
  /** Epoch milliseconds. The rules that ran at this time apply. Default: now. */
  readonly at?: number;
}

interface JudgedVoucher {
  readonly code: string;
  readonly voucher: VoucherTerms | undefined;
  readonly reason: Reason | undefined;
}

/** The codes without duplicates, in the given order. The entry of a code that no customer can use names the reason. */
export async function judgeCodes(
  work: UnitOfWork,
  codes: readonly string[],
  { basketId, at = work.now }: Pick<Goods, 'basketId' | 'at'>,
): Promise<readonly JudgedVoucher[]> {
  if (codes.length === 0) return [];
  const unique = [...new Set(codes.map(canonicalCode))];
  const held = await heldCodes(work, basketId);
  const uses = await work.counters(voucherUses, unique);
  return Promise.all(
    unique.map(async (code, index) => {
      const voucher = (await work.get(vouchers, code))?.voucher;
      const limited = voucher?.usageLimit !== undefined && !held.includes(code);
      const usesLeft = limited ? (uses[index]?.left ?? 0) : undefined;
      return { code, voucher, reason: standingReason(voucher, { now: at, usesLeft }) };
    }),
  );
}

/** The codes whose uses the basket has. They must not count against it when it is priced again. */
async function heldCodes(work: UnitOfWork, basketId: string | undefined): Promise<readonly string[]> {
  const held = basketId === undefined ? undefined : await work.get(basketVouchers, basketId);
  if (!held || held.state === 'released') return [];
  return held.codes.filter(({ accepted }) => accepted).map(({ code }) => code);
}

/** Applies promotions by priority, then vouchers in the given order. Stores nothing. */
async function evaluate(goods: Goods, codes: readonly string[], scope: Scope): Promise<VoucherOutcome> {
  refuseInexactSums(goods.lines);
  const { at = scope.work.now } = goods;
  const running = await runningPromotions(scope, at);
  const judged = await judgeCodes(scope.work, codes, { basketId: goods.basketId, at });
  const { tier } = await lookUpNeededTier(goods, { running, judged }, scope);
  const purchase = { currency: goods.currency, tier };
  const discounted = await stepsBreathing(applyPromotions(pricedAtFull(goods.lines), running, purchase), scope.breathe);
  return applyVouchers(discounted, judged, purchase);
}

/** Applies one voucher to an amount. No promotion applies before it, because the goods are unknown. */
async function evaluateAmount(goods: Goods, code: string, scope: Scope): Promise<VoucherOutcome> {
  const judged = await judgeCodes(scope.work, [code], goods);
  const { tier } = await lookUpNeededTier(goods, { running: [], judged }, scope);
  return applyVouchers(pricedAtFull(goods.lines), judged, { currency: goods.currency, tier });
}

async function runningPromotions({ work, breathe }: Pick<Scope, 'work' | 'breathe'>, at: number): Promise<readonly Promotion[]> {
  // One page has them all, because it is as long as their limit.
  const { items } = await work.all(promotions, { breathe });
  return items.map(({ rule }) => rule).filter((rule) => isRunning(rule, at));
}

/** Reads the tier if a rule needs it. Without it, no member promotion applies. @throws Problem `dependency_*` if a voucher needs it */
async function lookUpNeededTier(
  { loyaltyTier, customerId }: Goods,
  { running, judged }: { running: readonly Promotion[]; judged: readonly JudgedVoucher[] },
  scope: Scope,
): Promise<FoundTier> {
  if (loyaltyTier !== undefined || customerId === undefined) return { tier: loyaltyTier };
  const voucherNeedsTier = judged.some(({ voucher, reason }) => voucher && !reason && excludesTier(voucher, undefined));
  if (!voucherNeedsTier && !running.some(({ kind }) => kind === 'tier-percent')) return {};
  const found = await lookUpTier(customerId, scope);
  if (voucherNeedsTier && found.unknown) throw found.unknown;
  return found;
}

function refuseInexactSums(lines: readonly Line[]): void {
  const sum = lines.reduce((total, { qty, unitPrice }) => total + qty * unitPrice, 0);
  if (!Number.isSafeInteger(sum)) throw invalid('/lines', 'too_big', 'The lines together cost more than can be computed exactly.');
}

/** One total per promotion and voucher, first applied first. */
function totalsBySource(lines: readonly PricedLine[]) {
  const totals = new Map<string, PricedLine['discounts'][number]>();
  for (const { source, amount } of lines.flatMap(({ discounts }) => discounts)) {
    const key = JSON.stringify([source.promotionId ?? null, source.voucherCode ?? null]);
    totals.set(key, { source, amount: amount + (totals.get(key)?.amount ?? 0) });
  }
  return [...totals.values()];
}

/** Timeout of each of the two calls. */
const TIMEOUT_MS = 800;

/** `tier` is absent without a membership. `unknown` is the problem that prevented reading it. */
interface FoundTier {
  readonly tier?: LoyaltyTier;
  readonly unknown?: Problem;
}

/** Reads the customer's account from the CRM and its tier from the Loyalty Platform. An unknown customer has no tier. */
async function lookUpTier(customerId: string, { call, log }: Scope): Promise<FoundTier> {
  try {
    const { loyaltyAccountId } = await call(getCustomer, { params: { id: customerId } }, { timeoutMs: TIMEOUT_MS });
    if (loyaltyAccountId === undefined) return {};
    const { tier } = await call(getMemberBalance, { params: { id: loyaltyAccountId } }, { timeoutMs: TIMEOUT_MS });
    return { tier };
  } catch (error) {
    if (isProblem(error, 'not_found')) return {};
    if (!isDependencyProblem(error)) throw error;
    log.warn({ code: error.code, customerId }, 'loyalty tier look-up failed');
    return { unknown: error };
  }
}

/** The lines of a basket, for requests that name only the basket. @throws Problem `not_found`, `dependency_*` */
async function readBasketGoods(call: Scope['call'], basketId: string, customerId: string | undefined): Promise<Goods> {
  const basket = await call(getBasket, { params: { id: basketId } });
  return {
    basketId,
    currency: basket.currency,
    customerId: customerId ?? basket.customerId,
    lines: basket.lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice: unitPrice.amount })),
  };
}
