/** Whether another location sends the goods to the store where the customer collects them. */
export const isTransfer = ({
  locationId,
  collection,
}: {
  readonly locationId: string;
  readonly collection?: { readonly locationId: string };
}): boolean => collection !== undefined && collection.locationId !== locationId;

/** Whether its goods wait at the counter of a store. */
export const isAtCounter = <Goods extends { readonly state: string; readonly collection?: { readonly readyAt?: string } }>(
  found: Goods,
): found is Goods & { readonly collection: NonNullable<Goods['collection']> } =>
  found.state === 'dispatched' && found.collection?.readyAt !== undefined;

/** States of a fulfillment order whose goods are at its location. */
export const BEFORE_DISPATCH: ReadonlySet<string> = new Set(['created', 'allocated', 'picking', 'packed']);

/** How goods that the customer collects get to the counter; empty if they never do. */
export function wayToCounter(found: Parameters<typeof isTransfer>[0] & { readonly state: string }): string {
  if (BEFORE_DISPATCH.has(found.state)) {
    return isTransfer(found)
      ? ' A carrier brings them to the store after Dispatch Fulfillment Order.'
      : ' Dispatch Fulfillment Order puts packed goods there.';
  }
  return isTransfer(found) && found.state === 'dispatched' ? ' A carrier is bringing them to the store.' : '';
}

export const COLLECTION_STATUSES = ['preparing', 'on-the-way', 'lost', 'waiting', 'handed-over', 'ended'] as const;
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number];

/** Where the goods of a collection are. `givenUp`: goods that were lost on their way to the store are refunded or replaced. */
export function collectionStatusOf(
  found: Parameters<typeof isAtCounter>[0] & { readonly failureReason?: string; readonly givenUp?: true },
): CollectionStatus {
  const { state, failureReason, givenUp } = found;
  if (BEFORE_DISPATCH.has(state)) return 'preparing';
  if (state === 'delivered') return 'handed-over';
  if (isAtCounter(found)) return 'waiting';
  if (state === 'failed-delivery' && failureReason === 'lost' && !givenUp) return 'lost';
  const isCarried = state === 'dispatched' || (state === 'failed-delivery' && failureReason === 'delivery-attempts');
  return isCarried ? 'on-the-way' : 'ended';
}

/** Whether the customer may have to pay for the goods before they are handed over. Goods that replace delivered ones are paid. */
export function mayBeUnpaid(found: Parameters<typeof collectionStatusOf>[0] & { readonly free?: true }): boolean {
  const status = collectionStatusOf(found);
  return !found.free && status !== 'handed-over' && status !== 'ended';
}
