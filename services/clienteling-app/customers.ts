import type { z } from 'zod';
import { listCustomerBaskets } from '../../shared/catalog/commerce/internal.ts';
import {
  getCustomer,
  getCustomer360 as getCustomer360Api,
  logInteraction as logInteractionApi,
  ViewPart,
} from '../../shared/catalog/customer/apis.ts';
import { logCustomerInteraction } from '../../shared/catalog/customer/internal.ts';
import { listReturns } from '../../shared/catalog/fulfillment/internal.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { listCustomerOrders } from '../../shared/catalog/order/internal.ts';
import { invalid, isProblem, Problem } from '../../shared/catalog/problems.ts';
import { CLOCK_TOLERANCE_MS, instant } from '../../shared/domain/time.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';

export const getCustomer360 = handle(getCustomer360Api)(async ({ params: { id } }, scope) => composeCustomerView(id, scope));

type View = z.output<typeof getCustomer360Api.response>;
type Part = z.output<typeof ViewPart>;

const PART_TIMEOUT_MS = 2_000;

/**
 * Reads all parts from their owners concurrently. A part whose owner does not answer is degraded.
 * @throws Problem `not_found` for an unknown customer
 */
async function composeCustomerView(id: string, { call, log }: Scope): Promise<View> {
  const degraded = new Set<Part>();
  const options = { timeoutMs: PART_TIMEOUT_MS };
  async function readPart<T>(parts: readonly Part[], answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      const isAboutCustomer = isProblem(error, 'not_found') && parts.includes('customer');
      if (!(error instanceof Problem) || isAboutCustomer) throw error;
      log.info({ parts, code: error.code }, 'part of a customer view failed');
      for (const part of parts) degraded.add(part);
      return undefined;
    }
  }
  // The customer names its account.
  const customerAndLoyalty = async () => {
    const customer = await readPart(['customer', 'interactions', 'loyalty'], call(getCustomer, { params: { id } }, options));
    if (customer?.loyaltyAccountId === undefined) return { customer };
    const loyalty = await readPart(['loyalty'], call(getMemberBalance, { params: { id: customer.loyaltyAccountId } }, options));
    return { customer, loyalty };
  };
  const query = { customerId: id };
  const [{ customer, loyalty }, orders, baskets, returns] = await Promise.all([
    customerAndLoyalty(),
    readPart(['orders'], call(listCustomerOrders, { query }, options)),
    readPart(['openBaskets'], call(listCustomerBaskets, { query }, options)),
    readPart(['returns'], call(listReturns, { query }, options)),
  ]);
  return {
    customer,
    loyalty,
    orders: orders?.items ?? [],
    openBaskets: baskets?.items ?? [],
    returns: returns?.items ?? [],
    interactions: customer?.interactions ?? [],
    degraded: ViewPart.options.filter((part) => degraded.has(part)),
  };
}

export const logInteraction = handle(logInteractionApi)(async ({ body: { customerId, ...interaction } }, { work, call }) => {
  const { occurredAt } = interaction;
  const aheadMs = occurredAt === undefined ? 0 : Date.parse(occurredAt) - work.now;
  if (aheadMs > CLOCK_TOLERANCE_MS) {
    throw invalid('/occurredAt', 'in_the_future', `${occurredAt} is later than now; log an interaction after it has happened.`);
  }
  const body = aheadMs > 0 ? { ...interaction, occurredAt: instant(work.now) } : interaction;
  return call(logCustomerInteraction, { params: { id: customerId }, body });
});
