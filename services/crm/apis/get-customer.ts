import { getCustomer as getCustomerApi } from '../../../shared/catalog/customer/apis.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';

export const getCustomer = handle(getCustomerApi)(async ({ params }, { work }) => {
  const found = await work.get(customers, params.id);
  if (!found) throw notFound('customer', params.id);
  return found;
});
