import { searchCustomer as searchCustomerApi } from '../../shared/catalog/customer/apis.ts';
import { handle } from '../../shared/work/handler.ts';
import type { Page, PageOptions, UnitOfWork } from '../../shared/work/unit-of-work.ts';
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

type PageSource<T> = (page: PageOptions) => Promise<Page<T>>;

/** Rows per read after the first, which reads one page. */
const CHUNK = 200;

/** A page of the matching rows, sorted like the source. `nextCursor` is absent when no further row matches. */
async function pageOfMatches<T>(
  source: PageSource<T>,
  isMatch: (row: T) => boolean,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<{ items: T[]; nextCursor?: string }> {
  const items: T[] = [];
  let from = cursor;
  for (let rows = limit; ; rows = CHUNK) {
    const chunk = await source({ limit: rows, cursor: from });
    const matches = [...chunk.items.entries()].filter(([, row]) => isMatch(row));
    const taken = matches.slice(0, limit - items.length);
    items.push(...taken.map(([, row]) => row));
    const last = taken.at(-1);
    if (items.length === limit && last) {
      // Only the end of a page has a cursor, so a second read ends at the last match.
      const { nextCursor } = await source({ limit: last[0] + 1, cursor: from });
      const hasMore = matches.length > taken.length || (await hasMatch(source, isMatch, chunk.nextCursor));
      return hasMore && nextCursor !== undefined ? { items, nextCursor } : { items };
    }
    if (chunk.nextCursor === undefined) return { items };
    from = chunk.nextCursor;
  }
}

async function hasMatch<T>(source: PageSource<T>, isMatch: (row: T) => boolean, cursor: string | undefined): Promise<boolean> {
  for (let from = cursor; from !== undefined; ) {
    const chunk = await source({ limit: CHUNK, cursor: from });
    if (chunk.items.some(isMatch)) return true;
    from = chunk.nextCursor;
  }
  return false;
}
