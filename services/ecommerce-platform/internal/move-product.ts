import { moveProduct as moveProductCall } from '../../../shared/catalog/commerce/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { products } from '../collections.ts';
import { anyProduct } from '../product/products.ts';

export const moveProductHandler = handle(moveProductCall)(async ({ params: { id }, body }, { work }) => {
  const product = await anyProduct(work, id);
  if (!product) throw notFound('product', id);
  return work.transition(products, product, body.verb);
});
