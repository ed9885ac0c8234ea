import { countStockByHand as operation } from '../../shared/catalog/control/operations/outside-world.ts';
import { countStock } from '../../shared/catalog/inventory/internal.ts';
import { operate } from '../operate.ts';

export const countStockByHand = operate(operation)(async ({ params: { sku, locationId }, body: { onHand } }, scope) =>
  scope.callFromOutside(scope, countStock, { params: { sku }, body: { locationId, onHand } }),
);
