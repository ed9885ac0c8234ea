import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Product, products } from '../collections.ts';

/** Products before `active` and archived ones are hidden from customers. */
const VISIBLE_STATES: ReadonlySet<Product['state']> = new Set(['active', 'suspended', 'discontinued']);

/** @throws Problem 404, even for a product that is hidden from customers */
export async function productBySku(work: UnitOfWork, sku: string): Promise<Product> {
  return requireVisible(await work.findUnique(products, 'sku', sku), sku);
}

/** @throws Problem 404, even for a product that is hidden from customers */
export async function productByIdOrSku(work: UnitOfWork, idOrSku: string): Promise<Product> {
  return requireVisible(await anyProduct(work, idOrSku), idOrSku);
}

/** Finds a product by id or SKU, in every state. */
export const anyProduct = async (work: UnitOfWork, idOrSku: string): Promise<Product | undefined> =>
  (await work.get(products, idOrSku)) ?? (await work.findUnique(products, 'sku', idOrSku));

function requireVisible(product: Product | undefined, idOrSku: string): Product {
  if (product && VISIBLE_STATES.has(product.state)) return product;
  throw notFound('product', idOrSku);
}

/** @throws Problem 409 */
export function refuseUnlessSellable({ id, sku, state }: Product): void {
  if (state === 'active') return;
  throw refusal('product', { id, state }, 'sell', `The product "${sku}" is ${state}; only an active product can be sold.`, {
    allowedFrom: ['active'],
    sku,
  });
}
