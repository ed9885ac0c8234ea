import { getProduct } from '../../../shared/catalog/commerce/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { availability } from '../basket/availability.ts';
import { availabilityOf, productByIdOrSku } from '../product-rules.ts';

export const getProductHandler = handle(getProduct)(async ({ params }, scope) => {
  const product = await productByIdOrSku(scope.work, params.id);
  return { ...product, availability: availabilityOf((await availability(scope, product.sku))?.atp) };
});
