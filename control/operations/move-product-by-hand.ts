import { moveProduct } from '../../shared/catalog/commerce/internal.ts';
import { ProductVerb } from '../../shared/catalog/commerce/objects.ts';
import { moveProductByHand as operation } from '../../shared/catalog/control/operations/outside-world.ts';
import { operate } from '../operate.ts';
import { parseVerb } from '../outside-verb.ts';

export const moveProductByHand = operate(operation)(async ({ params: { id, verb } }, scope) =>
  scope.callFromOutside(scope, moveProduct, { params: { id }, body: { verb: parseVerb(ProductVerb, verb, 'A product') } }),
);
