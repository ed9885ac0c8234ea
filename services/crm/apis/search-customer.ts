import { searchCustomer as searchCustomerApi } from '../../../shared/catalog/customer/apis.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { customers } from '../collections.ts';
import type { CustomerRecord } from '../customer-rules.ts';
import { type PageSource, pageOfMatches } from '../matching-page.ts';

/** Several criteria must all fit. An exact e-mail or phone is looked up; part of a name is searched for. */
export const searchCustomer = handle(searchCustomerApi)(async ({ query }, { work }) => {
  const { q, phone, limit, cursor } = query;
  const email = query.email?.toLowerCase();
  const source: PageSource<CustomerRecord> = (page) => {
    if (email !== undefined) return work.find(customers, 'email', email, page);
    return phone === undefined ? work.all(customers, page) : work.find(customers, 'phone', phone, page);
  };
  const fits = (customer: CustomerRecord): boolean =>
    (email === undefined || customer.email === email) &&
    (phone === undefined || customer.phone === phone) &&
    (q === undefined || isNamed(customer, q.toLowerCase()));
  return pageOfMatches(source, fits, { limit, cursor });
});

const isNamed = ({ firstName = '', lastName = '', email = '', phone = '' }: CustomerRecord, part: string): boolean =>
  [`${firstName} ${lastName}`, email, phone].some((value) => value.toLowerCase().includes(part));
