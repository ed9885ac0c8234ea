import { playScan as operation } from '../../shared/catalog/control/operations/outside-world.ts';
import { scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { Scan } from '../../shared/catalog/fulfillment/shipments.ts';
import { operate } from '../operate.ts';
import { parseVerb } from '../outside-verb.ts';

export const playScan = operate(operation)(async ({ params: { id, scan }, body }, scope) =>
  scope.callFromOutside(scope, scanShipment, { params: { id }, body: { ...body, scan: parseVerb(Scan, scan, 'A parcel') } }),
);
