import type { z } from 'zod';
import { moveProduct } from '../../shared/catalog/commerce/internal.ts';
import { ProductVerb } from '../../shared/catalog/commerce/objects.ts';
import { moveCustomer } from '../../shared/catalog/customer/internal.ts';
import { CustomerVerb } from '../../shared/catalog/customer/objects.ts';
import { moveReturn, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { ReturnVerb } from '../../shared/catalog/fulfillment/returns.ts';
import { Scan } from '../../shared/catalog/fulfillment/shipments.ts';
import { countStock } from '../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { ControlInput, ControlOutput, controlOperations } from '../../shared/catalog/simulation/operations.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import type { InsideCall } from './inside-call.ts';

type OutsideId = 'play-scan' | 'move-return-by-hand' | 'move-product-by-hand' | 'move-customer-by-hand' | 'count-stock-by-hand';

type OutsideWorld = {
  readonly [Id in OutsideId]: (
    input: ControlInput<(typeof controlOperations)[Id]>,
    asked: { readonly view: WorldView },
  ) => Promise<ControlOutput<(typeof controlOperations)[Id]>>;
};

/** What carriers, customer service, assortment management and stock takers do: no API of the estate does it, a person does. */
export function createOutsideWorld(ask: InsideCall): OutsideWorld {
  return {
    'play-scan': async ({ params: { id, scan }, body }, { view }) =>
      ask(view, scanShipment, { params: { id }, body: { ...body, scan: verbOf(Scan, scan, 'A parcel') } }),
    'move-return-by-hand': async ({ params: { id, verb }, body }, { view }) =>
      ask(view, moveReturn, { params: { id }, body: { ...body, verb: verbOf(ReturnVerb, verb, 'A return') } }),
    'move-product-by-hand': async ({ params: { id, verb } }, { view }) =>
      ask(view, moveProduct, { params: { id }, body: { verb: verbOf(ProductVerb, verb, 'A product') } }),
    'move-customer-by-hand': async ({ params: { id, verb } }, { view }) =>
      ask(view, moveCustomer, { params: { id }, body: { verb: verbOf(CustomerVerb, verb, 'A customer') } }),
    'count-stock-by-hand': async ({ params: { sku, locationId }, body: { onHand } }, { view }) =>
      ask(view, countStock, { params: { sku }, body: { locationId, onHand } }),
  };
}

/** @throws Problem `not_found` with the verbs that there are */
function verbOf<T extends string>(verbs: z.ZodType<T> & { readonly options: readonly T[] }, asked: string, subject: string): T {
  const verb = verbs.safeParse(asked);
  if (verb.success) return verb.data;
  throw new Problem('not_found', `${subject} cannot be made to ${asked}; it can be made to ${verbs.options.join(', ')}.`);
}
