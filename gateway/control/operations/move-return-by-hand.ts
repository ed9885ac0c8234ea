import { moveReturn } from '../../../shared/catalog/fulfillment/internal.ts';
import { ReturnVerb } from '../../../shared/catalog/fulfillment/returns.ts';
import { moveReturnByHand as operation } from '../../../shared/catalog/simulation/operations/outside-world.ts';
import { operate } from '../operate.ts';
import { parseVerb } from '../outside-verb.ts';

export const moveReturnByHand = operate(operation)(async ({ params: { id, verb }, body }, scope) =>
  scope.callFromOutside(scope, moveReturn, { params: { id }, body: { ...body, verb: parseVerb(ReturnVerb, verb, 'A return') } }),
);
