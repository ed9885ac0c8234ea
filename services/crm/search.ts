import { searchCustomer as searchCustomerApi } from '../../shared/catalog/customer/apis.ts';
import { type PageSource, pageOfMatches } from '../../shared/handlers/page-of-matches.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { customers } from './collections.ts';
import type { Contact, CustomerRecord } from './customer-rules.ts';
import { isNamed, partsOf } from './name-parts.ts';

/** A customer must match all criteria. The most selective index is read, and the other criteria filter its rows. */
export const searchCustomer = handle(searchCustomerApi)(async ({ query }, { work }) => {
  const { q, email, phone, limit, cursor } = query;
  const source = await narrowestSource(work, { email, phone, q });
  const criteriaCount = [email, phone, q].filter((one) => one !== undefined).length;
  // A single index, or the list of all customers, needs no filter.
  if (criteriaCount === 0 || (criteriaCount === 1 && q === undefined)) {
    const page = await source({ limit, cursor });
    return { ...page, items: [...page.items] };
  }
  const matches = (customer: CustomerRecord): boolean =>
    (email === undefined || customer.email === email) &&
    (phone === undefined || customer.phone === phone) &&
    (q === undefined || isNamed(customer, q));
  return pageOfMatches(source, matches, { limit, cursor });
});

/** The smallest indexed set of customers that contains all matches. */
async function narrowestSource(
  work: UnitOfWork,
  { email, phone, q }: Contact & { readonly q?: string },
): Promise<PageSource<CustomerRecord>> {
  if (email !== undefined) return (page) => work.find(customers, 'email', email, page);
  if (phone !== undefined) return (page) => work.find(customers, 'phone', phone, page);
  const part = q === undefined ? undefined : await rarestPart(work, q);
  return (page) => (part === undefined ? work.all(customers, page) : work.find(customers, 'part', part, page));
}

/** @returns undefined when `q` is too short to have a part */
async function rarestPart(work: UnitOfWork, q: string): Promise<string | undefined> {
  const parts = partsOf(q);
  if (parts.length === 0) return undefined;
  const counts = await work.count(customers, 'part', parts);
  const [rarest] = parts.map((part, place) => ({ part, count: counts[place] ?? 0 })).sort((a, b) => a.count - b.count);
  return rarest?.part;
}
