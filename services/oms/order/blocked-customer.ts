import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';

/** @throws Problem `customer_blocked`, `dependency_*` when the CRM does not answer */
export async function refuseBlocked(customerId: string, { call }: Scope): Promise<void> {
  const { state } = await call(getCustomer, { params: { id: customerId } });
  if (state !== 'blocked') return;
  throw new Problem('customer_blocked', `The customer "${customerId}" is blocked and cannot order.`, {
    objectType: 'customer',
    id: customerId,
  });
}
