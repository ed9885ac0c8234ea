import { shortId } from '../kit/format.ts';

type Published = Readonly<Record<string, unknown>>;

interface OwnedObject {
  readonly id?: string;
  readonly orderId?: string;
  readonly orderNumber?: string;
  readonly trackingNumber?: string;
  readonly fulfillmentOrderId?: string;
  readonly returnId?: string;
  readonly customerId?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

const objectOf = (event: Published): OwnedObject => (event['data'] as { readonly object?: OwnedObject } | undefined)?.object ?? {};

/** Names of the objects of events: each event has its object, so most names are in the list itself. */
export function eventNames(events: readonly Published[]) {
  const known = new Map<string, OwnedObject>();
  for (const event of events) {
    const object = objectOf(event);
    if (object.id !== undefined && !known.has(object.id)) known.set(object.id, object);
  }
  const nameOf = (id: string): string => {
    const { orderNumber, trackingNumber, firstName, lastName } = known.get(id) ?? {};
    return orderNumber ?? trackingNumber ?? ([firstName, lastName].filter(Boolean).join(' ') || shortId(id));
  };
  const orderOf = ({ orderId, fulfillmentOrderId, returnId }: OwnedObject): string | undefined =>
    orderId ?? known.get(fulfillmentOrderId ?? returnId ?? '')?.orderId;
  return {
    /** Its number or name, or else its id, shortened. */
    object: nameOf,
    /** The order that the object belongs to, or else its customer. */
    owner: (event: Published): string | undefined => {
      const object = objectOf(event);
      const owner = orderOf(object) ?? object.customerId;
      return owner === undefined ? undefined : nameOf(owner);
    },
  };
}
