import { collectionCode as collectionCodeApi } from '../../shared/catalog/fulfillment/apis.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { addressToken, originOf, qrAddress, withOwnAddresses } from '../../shared/control/world-addresses.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { fulfillmentOrders, published, type StoredFulfillmentOrder } from './collections.ts';

type Addresses = Pick<Scope, 'context' | 'webhooks'>;

/** The published fulfillment order. In a copy of a world, the address of its QR code leads to this world. */
export const withOwnQr = (found: StoredFulfillmentOrder, scope: Addresses) => withOwnAddresses(published(found), originOf(scope));

/** The address of the QR code of a collection, and the secret part of it. */
export async function qrOf({ id }: StoredFulfillmentOrder, scope: Addresses) {
  const qrToken = await addressToken(originOf(scope), 'collection-code', id);
  return { qrToken, qrUrl: qrAddress(scope.context.world, qrToken) };
}

/** The text of the QR code. A scanner at the counter reads which goods to hand over, and the code that Hand Over Collection takes. */
const qrText = (id: string, code: string): string => `${id} ${code}`;

/** The digits of a code that a person typed or a scanner read, with the fulfillment order that the QR code names. */
export function readCode(text: string): { readonly digits: string; readonly names?: string } {
  const [digits = '', names] = text.split(' ').reverse();
  return { digits, names };
}

const FILE = /^([0-9a-f]+)\.png$/;

/** The picture is drawn on demand: its content follows from the fulfillment order and is fixed once the goods are ready. */
export const collectionCode = handle(collectionCodeApi)(async ({ params: { file } }, { work }) => {
  const [, token] = FILE.exec(file) ?? [];
  const found = token === undefined ? undefined : await work.findUnique(fulfillmentOrders, 'qrToken', token);
  if (found?.collection?.code === undefined) throw notFound('collection-code', file);
  // The drawing library is large. Loaded with the first code, it does not delay the start.
  const { default: bwipjs } = await import('bwip-js/node');
  const text = qrText(found.id, found.collection.code);
  const picture = await bwipjs.toBuffer({ bcid: 'qrcode', text, scale: 4, padding: 4, backgroundcolor: 'ffffff' });
  return picture.toString('base64');
});
