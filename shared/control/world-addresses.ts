import { digest } from '../domain/ids.ts';
import { idSource, rehearsalOf } from '../domain/world.ts';
import type { Context } from './context.ts';

// Addresses at the gateway that need no credential: they name a rehearsal, and have a token. A fork and an opened snapshot have the objects
// and answers of the first world, whose addresses lead to that world. What they answer and publish has their own addresses.

/** What the addresses of a world derive from. */
export interface AddressOrigin extends Pick<Context, 'world' | 'seed' | 'lineage'> {
  /** Reads the secret that signs webhooks of the rehearsal. */
  readonly secret: () => Promise<string>;
}

/** The parts of a handler's scope that addresses derive from. */
interface AddressScope {
  readonly context: Omit<AddressOrigin, 'secret'>;
  readonly webhooks: Pick<AddressOrigin, 'secret'>;
}

export const originOf = ({ context, webhooks }: AddressScope): AddressOrigin => ({ ...context, secret: webhooks.secret });

/** Nobody can guess it without the secret of the rehearsal. */
export const addressToken = async ({ secret, ...origin }: AddressOrigin, purpose: string, id: string): Promise<string> =>
  digest(purpose, origin.seed ?? (await secret()), idSource(origin), id).slice(0, 40);

/** Proves that a browser came from the shop. It fits one payment. */
export const paymentPageToken = (origin: AddressOrigin, paymentId: string): Promise<string> =>
  addressToken(origin, 'payment-action', paymentId);

const PAYMENT_PAGES = '/payment-actions/';
const LABELS = '/labels/';
const QR_CODES = '/collection-codes/';

/** The page where the customer authenticates a payment. */
export const paymentPage = async (origin: AddressOrigin, paymentId: string): Promise<string> =>
  `${PAYMENT_PAGES}${rehearsalOf(origin.world)}/${paymentId}/${await paymentPageToken(origin, paymentId)}`;

/** The document of a label. */
export const labelAddress = (world: AddressOrigin['world'], token: string): string => `${LABELS}${rehearsalOf(world)}/${token}.pdf`;

/** The QR code of a collection. */
export const qrAddress = (world: AddressOrigin['world'], token: string): string => `${QR_CODES}${rehearsalOf(world)}/${token}.png`;

/** The members of a payment, of a parcel and of a fulfillment order that have an address. */
interface Addressed {
  readonly id?: unknown;
  readonly nextAction?: { readonly url?: unknown };
  readonly label?: { readonly url?: unknown };
  readonly collection?: { readonly qrUrl?: unknown };
}

const isAt = (start: string, url: unknown): url is string => typeof url === 'string' && url.startsWith(start);

/** A business object with the addresses of the world. A copied object has the addresses of the first world. */
export async function withOwnAddresses<T extends object>(object: T, origin: AddressOrigin): Promise<T> {
  const { id, nextAction }: Addressed = object;
  if (isAt(PAYMENT_PAGES, nextAction?.url)) return { ...object, nextAction: { ...nextAction, url: await paymentPage(origin, String(id)) } };
  return withOwnDocuments(object, origin.world);
}

/** A business object whose label or QR code is at the address of the world. */
export function withOwnDocuments<T extends object>(object: T, world: AddressOrigin['world']): T {
  const { label, collection }: Addressed = object;
  if (isAt(LABELS, label?.url)) return { ...object, label: { ...label, url: labelAddress(world, tokenIn(label.url)) } };
  if (isAt(QR_CODES, collection?.qrUrl)) {
    return { ...object, collection: { ...collection, qrUrl: qrAddress(world, tokenIn(collection.qrUrl)) } };
  }
  return object;
}

/** All files have an extension of three letters. */
const tokenIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1, -'.pdf'.length);

/** A business object with an address that is equal in all worlds. */
export function withEqualAddresses<T extends object>(object: T): T {
  const { nextAction, label, collection }: Addressed = object;
  if (isAt(PAYMENT_PAGES, nextAction?.url)) return { ...object, nextAction: { ...nextAction, url: PAYMENT_PAGES } };
  if (isAt(LABELS, label?.url)) return { ...object, label: { ...label, url: LABELS + tokenIn(label.url) } };
  if (isAt(QR_CODES, collection?.qrUrl)) return { ...object, collection: { ...collection, qrUrl: QR_CODES + tokenIn(collection.qrUrl) } };
  return object;
}

/** Whether a JSON text may have an address. */
export const mayHaveAddress = (json: string): boolean => [PAYMENT_PAGES, LABELS, QR_CODES].some((start) => json.includes(start));
