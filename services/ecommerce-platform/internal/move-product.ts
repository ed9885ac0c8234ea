import { moveProduct as moveProductCall } from '../../../shared/catalog/commerce/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { products } from '../collections.ts';

/** By id or SKU, also where customers cannot see it: assortment management can. */
export const moveProductHandler = handle(moveProductCall)(async ({ params: { id }, body }, { work }) => {
  const product = (await work.get(products, id)) ?? (await work.findUnique(products, 'sku', id));
  if (!product) throw notFound('product', id);
  return work.transition(products, product, body.verb);
});
