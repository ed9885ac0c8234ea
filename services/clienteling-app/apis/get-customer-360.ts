import { getCustomer360 as getCustomer360Api } from '../../../shared/catalog/customer/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { composeCustomerView } from '../customer-view.ts';

export const getCustomer360 = handle(getCustomer360Api)(async ({ params: { id } }, scope) => composeCustomerView(id, scope));
