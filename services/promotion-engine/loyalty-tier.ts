import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { LoyaltyTier } from './promotion-rules.ts';

/** Wall time for which prices wait for the CRM, and again for the Loyalty Platform. */
const PATIENCE_MS = 800;

/** A customer's tier, when there is one; `unknown` holds why it could not be asked for. */
export interface FoundTier {
  readonly tier?: LoyaltyTier | undefined;
  readonly unknown?: Problem | undefined;
}

/** Asks the CRM for the customer's account and the Loyalty Platform for its tier. A customer whom nobody knows has none. */
export async function lookUpTier(customerId: string, { call, log }: Scope): Promise<FoundTier> {
  try {
    const { loyaltyAccountId } = await call(getCustomer, { params: { id: customerId } }, { timeoutMs: PATIENCE_MS });
    if (loyaltyAccountId === undefined) return {};
    const { tier } = await call(getMemberBalance, { params: { id: loyaltyAccountId } }, { timeoutMs: PATIENCE_MS });
    return { tier };
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return {};
    if (!isDependencyProblem(error)) throw error;
    log.warn({ code: error.code, customerId }, 'the loyalty tier of a customer cannot be looked up');
    return { unknown: error };
  }
}
