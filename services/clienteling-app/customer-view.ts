import type { z } from 'zod';
import { listCustomerBaskets } from '../../shared/catalog/commerce/internal.ts';
import { getCustomer, type getCustomer360, ViewPart } from '../../shared/catalog/customer/apis.ts';
import { listReturns } from '../../shared/catalog/fulfillment/internal.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { listCustomerOrders } from '../../shared/catalog/order/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';

type View = z.output<typeof getCustomer360.response>;
type Part = z.output<typeof ViewPart>;

/** Wall time for which somebody in the store waits for a part. */
const PATIENCE_MS = 2_000;

/**
 * What each owner says of a customer, asked for at the same time. Who does not answer, or knows nothing of what the others name, makes a part degraded.
 * @throws Problem `not_found` when the CRM says that there is no such customer
 */
export async function customerView(id: string, { call, log }: Scope): Promise<View> {
  const degraded = new Set<Part>();
  const options = { timeoutMs: PATIENCE_MS };
  async function unlessDown<T>(parts: readonly Part[], asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (error) {
      const isAboutCustomer = error instanceof Problem && error.code === 'not_found' && parts.includes('customer');
      if (!(error instanceof Problem) || isAboutCustomer) throw error;
      log.info({ parts, code: error.code }, 'a part of a customer view is degraded');
      for (const part of parts) degraded.add(part);
      return undefined;
    }
  }
  // Without the customer nobody knows which account to ask for.
  const customerAndLoyalty = async () => {
    const customer = await unlessDown(['customer', 'interactions', 'loyalty'], call(getCustomer, { params: { id } }, options));
    if (customer?.loyaltyAccountId === undefined) return { customer };
    const loyalty = await unlessDown(['loyalty'], call(getMemberBalance, { params: { id: customer.loyaltyAccountId } }, options));
    return { customer, loyalty };
  };
  const query = { customerId: id };
  const [{ customer, loyalty }, orders, baskets, returns] = await Promise.all([
    customerAndLoyalty(),
    unlessDown(['orders'], call(listCustomerOrders, { query }, options)),
    unlessDown(['openBaskets'], call(listCustomerBaskets, { query }, options)),
    unlessDown(['returns'], call(listReturns, { query }, options)),
  ]);
  return {
    ...(customer && { customer }),
    ...(loyalty && { loyalty }),
    orders: orders?.items ?? [],
    openBaskets: baskets?.items ?? [],
    returns: returns?.items ?? [],
    interactions: customer?.interactions ?? [],
    degraded: ViewPart.options.filter((part) => degraded.has(part)),
  };
}
