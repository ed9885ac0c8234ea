import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { LoyaltyTier } from './promotion-rules.ts';

/** For each of the two calls. */
const TIMEOUT_MS = 800;

/** `tier` is absent without a membership. `unknown` is the problem that prevented the look-up. */
export interface FoundTier {
  readonly tier?: LoyaltyTier;
  readonly unknown?: Problem;
}

/** Reads the customer's account from the CRM and its tier from the Loyalty Platform. An unknown customer has no tier. */
export async function lookUpTier(customerId: string, { call, log }: Scope): Promise<FoundTier> {
  try {
    const { loyaltyAccountId } = await call(getCustomer, { params: { id: customerId } }, { timeoutMs: TIMEOUT_MS });
    if (loyaltyAccountId === undefined) return {};
    const { tier } = await call(getMemberBalance, { params: { id: loyaltyAccountId } }, { timeoutMs: TIMEOUT_MS });
    return { tier };
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return {};
    if (!isDependencyProblem(error)) throw error;
    log.warn({ code: error.code, customerId }, 'loyalty tier look-up failed');
    return { unknown: error };
  }
}
