import type { z } from 'zod';
import type { ProductView } from '../../shared/catalog/commerce/objects.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Product, products } from './collections.ts';

/** What customers may see: before `active` a product is the retailer's secret, and archived it is gone. */
const SHOWN: ReadonlySet<Product['state']> = new Set(['active', 'suspended', 'discontinued']);

/** Up to this many units over all nodes the shop says `low`; our choice. */
export const LOW_STOCK = 10;

/** The product with this SKU. @throws Problem 404 for one that customers may not see */
export async function productBySku(work: UnitOfWork, sku: string): Promise<Product> {
  return shown(await work.findUnique(products, 'sku', sku), sku);
}

/** The product with this id or SKU. @throws Problem 404 */
export async function productByIdOrSku(work: UnitOfWork, idOrSku: string): Promise<Product> {
  return shown((await work.get(products, idOrSku)) ?? (await work.findUnique(products, 'sku', idOrSku)), idOrSku);
}

function shown(product: Product | undefined, asked: string): Product {
  if (product && SHOWN.has(product.state)) return product;
  throw notFound('product', asked);
}

/** @throws Problem 409 unless the product may be sold */
export function refuseUnlessSellable({ id, sku, state }: Product): void {
  if (state === 'active') return;
  throw new Problem('invalid_state_transition', `The product "${sku}" is ${state}; only an active product can be sold.`, {
    objectType: 'product',
    id,
    sku,
    currentState: state,
    action: 'sell',
    allowedFrom: ['active'],
  });
}

/** @param atp units available to promise over all nodes; undefined while the Inventory Service does not answer */
export function availabilityOf(atp: number | undefined): z.output<typeof ProductView>['availability'] {
  if (atp === undefined) return { status: 'unknown' };
  return { status: atp <= 0 ? 'out-of-stock' : atp <= LOW_STOCK ? 'low' : 'in-stock', atp };
}
