import { searchCustomer as searchCustomerApi } from '../../../shared/catalog/customer/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { customers } from '../collections.ts';
import type { CustomerRecord } from '../customer-rules.ts';
import { type PageSource, pageOfMatches } from '../matching-page.ts';
import { ANY_PART, isNamed, partsOf } from '../name-parts.ts';

interface Criteria {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly q?: string | undefined;
}

/** Several criteria must all fit. An exact e-mail or phone is looked up; part of a name is searched for. */
export const searchCustomer = handle(searchCustomerApi)(async ({ query }, { work }) => {
  const { q, phone, limit, cursor } = query;
  const email = query.email?.toLowerCase();
  const source = await narrowest(work, { email, phone, q });
  const criteria = [email, phone, q].filter((one) => one !== undefined).length;
  // An index by itself has nothing to be left out.
  if (criteria === 0 || (criteria === 1 && q === undefined)) {
    const page = await source({ limit, cursor });
    return { ...page, items: [...page.items] };
  }
  const fits = (customer: CustomerRecord): boolean =>
    (email === undefined || customer.email === email) &&
    (phone === undefined || customer.phone === phone) &&
    (q === undefined || isNamed(customer, q));
  return pageOfMatches(source, fits, { limit, cursor });
});

/** The fewest customers among which all are that fit. */
async function narrowest(work: UnitOfWork, { email, phone, q }: Criteria): Promise<PageSource<CustomerRecord>> {
  if (email !== undefined) return (page) => work.find(customers, 'email', email, page);
  if (phone !== undefined) return (page) => work.find(customers, 'phone', phone, page);
  const part = q === undefined ? undefined : await rarestPart(work, q);
  return (page) => (part === undefined ? work.all(customers, page) : work.find(customers, 'part', part, page));
}

async function rarestPart(work: UnitOfWork, q: string): Promise<string | undefined> {
  const parts = partsOf(q);
  const [oldest] = (await work.all(customers, { limit: 1 })).items;
  const [oldestFound] = (await work.find(customers, 'part', ANY_PART, { limit: 1 })).items;
  if (parts.length === 0 || oldest?.id !== oldestFound?.id) return undefined;
  const counts = await work.count(customers, 'part', parts);
  const [rarest] = parts.map((part, place) => ({ part, count: counts[place] ?? 0 })).sort((a, b) => a.count - b.count);
  return rarest?.part;
}
