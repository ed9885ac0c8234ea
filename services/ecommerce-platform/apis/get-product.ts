import { getProduct } from '../../../shared/catalog/commerce/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { readAvailability, shownAvailability } from '../product/availability.ts';
import { productByIdOrSku } from '../product/products.ts';

export const getProductHandler = handle(getProduct)(async ({ params }, scope) => {
  const product = await productByIdOrSku(scope.work, params.id);
  return { ...product, availability: shownAvailability((await readAvailability(scope, product.sku))?.atp) };
});
