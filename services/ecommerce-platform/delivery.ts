import type { checkoutBasket } from '../../shared/catalog/commerce/apis.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { type Collection, type CollectionSource, isReservedFor, noCollectionAt } from '../../shared/catalog/inventory/collection.ts';
import { type getBasketHold, getCollectionPoint } from '../../shared/catalog/inventory/internal.ts';
import { invalid, isProblem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { Basket } from './collections.ts';

type CheckoutBody = InputOf<typeof checkoutBasket>['body'];
/** How the goods reach the customer. Members that do not apply are undefined. */
type Delivery = Pick<Basket, 'shippingAddress' | 'shippingMethod' | 'collection' | 'payAt'>;

/** The source document does not specify a default. */
const DEFAULT_SHIPPING_METHOD = 'STANDARD';

const TIMEOUT_MS = 5_000;

/** The requested delivery of a checkout. When a collection is ready depends on where its goods come from. */
interface AskedDelivery {
  /** The store where the customer collects the goods. */
  readonly collectAt?: string;
  readonly deliveredFrom: (source?: CollectionSource) => Delivery;
}

/**
 * The address and shipping method of a checkout, or its place of collection. The promise of a store is read only for a collection.
 * @param standing the values of a basket in checkout
 * @throws Problem `validation_failed` for a place without collection, and for an address that would silently end `payAt`; `dependency_*`
 */
export async function deliveryOf(
  { call }: Scope,
  { shippingAddress, shippingMethod, collection, payAt: wanted }: CheckoutBody,
  standing?: Basket,
): Promise<AskedDelivery> {
  if (!collection) {
    if (standing?.payAt === 'collection' && wanted === undefined) {
      const detail =
        'The basket is paid when it is collected, and an order to an address is paid before: confirm this with payAt checkout.';
      throw invalid('/payAt', 'required', detail);
    }
    const { shippingMethod: before = DEFAULT_SHIPPING_METHOD } = standing ?? {};
    const delivery = { shippingAddress, shippingMethod: shippingMethod ?? before, collection: undefined, payAt: undefined };
    return { deliveredFrom: () => delivery };
  }
  const { locationId, person } = collection;
  const payAt = wanted ?? standing?.payAt;
  const place = {
    shippingAddress: undefined,
    shippingMethod: undefined,
    payAt: payAt === 'collection' ? payAt : undefined,
  };
  // A promise that was made stays.
  if (standing?.collection?.locationId === locationId) {
    const delivery = { ...place, collection: { ...standing.collection, person } };
    return { collectAt: locationId, deliveredFrom: () => delivery };
  }
  try {
    const point = await call(getCollectionPoint, { params: { id: locationId } }, { timeoutMs: TIMEOUT_MS });
    return {
      collectAt: locationId,
      deliveredFrom: (source) => {
        const readyBy = source === 'transfer' ? (point.transferReadyBy ?? point.readyBy) : point.readyBy;
        return { ...place, collection: { locationId, person, readyBy } };
      },
    };
  } catch (error) {
    if (!isProblem(error, 'not_found')) throw error;
    throw noCollectionAt('/collection/locationId', locationId);
  }
}

export const isSameCollection = (one: Collection | undefined, other: CheckoutBody['collection']): boolean =>
  one?.locationId === other?.locationId && one?.person === other?.person;

/** @throws Problem `validation_failed` for an order that costs more than a customer may pay at the collection */
export function refuseAboveLimit(
  { payAt }: Pick<Delivery, 'payAt'>,
  { totals: { total } }: Pick<Basket, 'totals'>,
  { collection: { payLimit } }: Pick<Figures, 'collection'>,
): void {
  if (payAt !== 'collection' || total.amount <= payLimit) return;
  const detail = `The order costs ${moneyInWords(total)}; at most ${moneyInWords(money(payLimit, total.currency))} can be paid at the collection. Leave payAt out, and pay it now.`;
  throw invalid('/payAt', 'above_limit', detail);
}

type Hold = NonNullable<OutputOf<typeof getBasketHold>['reservation']>;

/** Whether a reservation serves the place of the basket. Goods for an address may come from anywhere. */
export const holdsAtPlace = (hold: Hold, { collection }: Basket): boolean =>
  collection === undefined || isReservedFor(hold, collection.locationId);
