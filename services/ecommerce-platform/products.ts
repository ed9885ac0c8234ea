import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { changedRow } from '../../fixtures/change.ts';
import { getProduct, listProducts, VisibleState } from '../../shared/catalog/commerce/apis.ts';
import {
  changeProduct as changeProductCall,
  listSoldProducts as listSoldProductsCall,
  moveProduct as moveProductCall,
} from '../../shared/catalog/commerce/internal.ts';
import type { ListedProduct, ProductView } from '../../shared/catalog/commerce/objects.ts';
import type { OutputOf } from '../../shared/catalog/define.ts';
import { checkAvailability } from '../../shared/catalog/inventory/apis.ts';
import { noCollectionAt } from '../../shared/catalog/inventory/collection.ts';
import { listCollectable } from '../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { invalid, isDependencyProblem, isProblem, notFound, type Problem } from '../../shared/catalog/problems.ts';
import type { RequestedLine } from '../../shared/catalog/shapes.ts';
import { gtin14, priceLabel } from '../../shared/domain/barcode.ts';
import { pageOfMatches } from '../../shared/handlers/page-of-matches.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Product, products } from './collections.ts';

export const getProductHandler = handle(getProduct)(async ({ params }, scope) => {
  const product = await productByIdOrSku(scope.work, params.id);
  return { ...product, availability: shownAvailability((await readAvailability(scope, product.sku))?.atp) };
});

export const listProductsHandler = handle(listProducts)(async ({ query: { q, gtin, state, collectAt, limit, cursor } }, scope) => {
  const { work } = scope;
  const words = q?.toLowerCase().split(/\s+/) ?? [];
  const isListed = (product: Product): boolean =>
    (state === undefined ? VISIBLE_STATES.has(product.state) : product.state === state) &&
    words.every((word) => textOf(product).includes(word));
  if (gtin === undefined) {
    const page = await pageOfMatches((read) => work.all(products, read), isListed, { limit, cursor });
    return { ...page, items: await withCollection(page.items, collectAt, scope) };
  }
  const found = (await work.findUnique(products, 'gtin', gtin)) ?? (await productOfLabel(work, gtin));
  return { items: await withCollection(found && isListed(found) ? [found] : [], collectAt, scope) };
});

/** The products with the way to collect them in a store, if one is named. @throws Problem for a store without collection */
async function withCollection(
  found: readonly Product[],
  collectAt: string | undefined,
  { call }: Scope,
): Promise<z.output<typeof ListedProduct>[]> {
  if (collectAt === undefined) return [...found];
  const input = { params: { id: collectAt }, body: { skus: found.map(({ sku }) => sku) } };
  const { items } = await call(listCollectable, input, { timeoutMs: TIMEOUT_MS }).catch((error: unknown) => {
    throw isProblem(error, 'not_found') ? noCollectionAt('?collectAt', collectAt) : error;
  });
  const collections = new Map(items.map(({ sku, collection }) => [sku, collection]));
  return found.map((product) => ({ ...product, collection: collections.get(product.sku) }));
}

const labelNeedsTill = (pointer: string, { sku }: Product): Problem =>
  invalid(pointer, 'price_embedded', `Only a till sells a label with its price. Give the sku ${sku} in place of the label.`);

const textOf = ({ name, brand, description, sku }: Product): string => [name, brand, description, sku].join(' ').toLowerCase();

/** The product that is sold by weight and that a price-embedded label names. */
async function productOfLabel(work: UnitOfWork, gtin: string): Promise<Product | undefined> {
  const label = priceLabel(gtin);
  return label && work.findUnique(products, 'label', label.reference);
}

/**
 * Lines of a request by SKU.
 * @param pointer JSON pointer to the line at an index
 * @throws Problem 404 for an unknown GTIN; 422 for a price-embedded label
 */
export const bySku = (
  work: UnitOfWork,
  lines: readonly z.output<typeof RequestedLine>[],
  pointer: (index: number) => string,
): Promise<SkuUnits[]> =>
  Promise.all(
    lines.map(async ({ sku, gtin = '', qty }, index) => {
      if (sku !== undefined) return { sku, qty };
      const product = await work.findUnique(products, 'gtin', gtin);
      const labelled = product ? undefined : await productOfLabel(work, gtin);
      if (labelled) throw labelNeedsTill(`${pointer(index)}/gtin`, labelled);
      return { sku: requireVisible(product, gtin).sku, qty };
    }),
  );

export const listSoldProductsHandler = handle(listSoldProductsCall)(async ({ body: { skus } }, { work }) => {
  const found = await Promise.all(skus.map((sku) => work.findUnique(products, 'sku', sku)));
  return {
    items: found.flatMap((product) => (product && VISIBLE_STATES.has(product.state) ? [{ sku: product.sku, minAge: product.minAge }] : [])),
  };
});

export const moveProductHandler = handle(moveProductCall)(async ({ params: { id }, body }, { work }) => {
  const product = await anyProduct(work, id);
  if (!product) throw notFound('product', id);
  return work.transition(products, product, body.verb);
});

export const changeProductHandler = handle(changeProductCall)(async ({ params: { id }, body }, { work }) => {
  const before = await anyProduct(work, id);
  if (!before) throw notFound('product', id);
  const next = changedRow('products', body, { before, key: before.sku, work });
  await refuseCodeOfAnother(work, next);
  if (isDeepStrictEqual(next, before)) return again(before);
  const { id: _id, version: _version, state: _state, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = next;
  return work.transition(products, before, 'change', {
    compareAtPrice: undefined,
    minAge: undefined,
    labelReference: undefined,
    ...members,
  });
});

/** A code names one product, as its GTIN or on its price-embedded labels. @throws Problem 422 */
async function refuseCodeOfAnother(work: UnitOfWork, { id, gtin, labelReference }: Product): Promise<void> {
  const twin = await work.findUnique(products, 'gtin', gtin14(gtin));
  if (twin && twin.id !== id) throw invalid('/gtin', 'gtin_of_another', `The product "${twin.sku}" has this GTIN.`);
  const labelled = await productOfLabel(work, gtin14(gtin));
  if (labelled) throw invalid('/gtin', 'gtin_is_label', `A price-embedded label of the product "${labelled.sku}" has this code.`);
  const same = labelReference === undefined ? undefined : await work.findUnique(products, 'label', labelReference);
  if (same && same.id !== id) {
    throw invalid('/labelReference', 'label_of_another', `The labels of the product "${same.sku}" have this reference.`);
  }
}

/** Products before `active` and archived ones are hidden from customers. */
const VISIBLE_STATES: ReadonlySet<Product['state']> = new Set(VisibleState.options);

/** @throws Problem 404, even for a product that is hidden from customers */
export async function productBySku(work: UnitOfWork, sku: string): Promise<Product> {
  return requireVisible(await work.findUnique(products, 'sku', sku), sku);
}

/** @throws Problem 404, even for a product that is hidden from customers */
async function productByIdOrSku(work: UnitOfWork, idOrSku: string): Promise<Product> {
  return requireVisible(await anyProduct(work, idOrSku), idOrSku);
}

/** Finds a product by id or SKU, in every state. */
const anyProduct = async (work: UnitOfWork, idOrSku: string): Promise<Product | undefined> =>
  (await work.get(products, idOrSku)) ?? (await work.findUnique(products, 'sku', idOrSku));

function requireVisible(product: Product | undefined, idOrSku: string): Product {
  if (product && VISIBLE_STATES.has(product.state)) return product;
  throw notFound('product', idOrSku);
}

/** @throws Problem 409 */
export function refuseUnlessSellable({ id, sku, state }: Product): void {
  if (state === 'active') return;
  const detail = `The product "${sku}" is ${state}; only an active product can be sold.`;
  throw refusal('product', { id, state }, 'sell', detail, { allowedFrom: ['active'], sku });
}

/** Availability is a hint for shoppers, so the wait is short. */
const TIMEOUT_MS = 2_000;

/** With at most this many units over all locations, availability is `low`. The source document does not specify it. */
const LOW_STOCK = 10;

/** @returns undefined while the Inventory Service does not answer */
export async function readAvailability(
  { call, log }: Scope,
  sku: string,
  qty = 1,
): Promise<Pick<OutputOf<typeof checkAvailability>, 'atp' | 'maxPerLine'> | undefined> {
  try {
    return await call(checkAvailability, { params: { sku }, query: { qty } }, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    // No location has ever had this SKU.
    if (isProblem(error, 'not_found')) return { atp: 0, maxPerLine: 0 };
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, sku }, 'Inventory Service unavailable: availability unknown');
    return undefined;
  }
}

/** @param atp units over all locations; undefined while the Inventory Service does not answer */
function shownAvailability(atp: number | undefined): z.output<typeof ProductView>['availability'] {
  if (atp === undefined) return { status: 'unknown' };
  return { status: atp <= 0 ? 'out-of-stock' : atp <= LOW_STOCK ? 'low' : 'in-stock', atp };
}
