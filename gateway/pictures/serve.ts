import { createHash } from 'node:crypto';
import { type Request, Router } from 'express';
import { Problem } from '../../shared/catalog/problems.ts';
import { Sku } from '../../shared/catalog/shapes.ts';
import { fixedDocument } from '../../shared/http/fixed-document.ts';
import { methodNotAllowed } from '../problems.ts';
import { drawProduct, PICTURE_STYLE, type Pictures, readPictures } from './product-picture.ts';

const STYLE_HASH = createHash('sha256').update(PICTURE_STYLE).digest('base64');
/** For a picture that a browser opens as a page. Within a page, the policy of the page applies. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`;
const PATH = '/media/products/:file';

/**
 * Serves a drawing for every SKU at `/media/products/{sku}.svg`. Shops of every origin may show it.
 * @param names by SKU; a product without one is shown by the words of its SKU
 */
export function createProductPictures(names: ReadonlyMap<string, string>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let pictures: Pictures | undefined;
  router.get(PATH, async (request: Request<{ file: string }>, response) => {
    const sku = skuOf(request.params.file);
    pictures ??= await readPictures();
    const drawn = drawProduct(pictures, sku, names.get(sku) ?? wordsOf(sku));
    response.set({ 'Content-Security-Policy': POLICY, 'Cross-Origin-Resource-Policy': 'cross-origin' });
    await fixedDocument('image/svg+xml', () => drawn, 'public, max-age=3600')(request, response);
  });
  router.all(PATH, ({ method }) => {
    throw methodNotAllowed(method, ['GET', 'HEAD']);
  });
  return router;
}

/** @throws Problem not_found */
function skuOf(file: string): string {
  const sku = Sku.safeParse(file.replace(/\.svg$/, ''));
  if (sku.success && file.endsWith('.svg')) return sku.data;
  throw new Problem('not_found', `There is no picture "${file}". A picture is at /media/products/{sku}.svg.`);
}

/** `mug-blue` is shown as "Mug blue". */
const wordsOf = (sku: string): string => {
  const words = sku.replaceAll(/[._-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
