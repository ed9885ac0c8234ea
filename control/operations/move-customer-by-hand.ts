import { moveCustomerByHand as operation } from '../../shared/catalog/control/operations/outside-world.ts';
import { moveCustomer } from '../../shared/catalog/customer/internal.ts';
import { CustomerVerb } from '../../shared/catalog/customer/objects.ts';
import { operate } from '../operate.ts';
import { parseVerb } from '../outside-verb.ts';

export const moveCustomerByHand = operate(operation)(async ({ params: { id, verb } }, scope) =>
  scope.callFromOutside(scope, moveCustomer, { params: { id }, body: { verb: parseVerb(CustomerVerb, verb, 'A customer') } }),
);
