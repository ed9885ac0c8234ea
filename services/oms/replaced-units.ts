import { failedInPlaceOf, replacedInParcel, replacementReasons } from '../../shared/catalog/order/replaced.ts';
import type { Replacement } from '../../shared/catalog/order/replacements.ts';
import type { FulfillmentRecord, ReplacementRecord, SeenFulfillment, StoredOrder } from './collections.ts';

/** Whether the goods of a replacement come in place of delivered ones. Their units are counted on no line of the order again. */
const isOfDelivered = ({ reason }: Pick<Replacement, 'reason'>): boolean => replacementReasons[reason].of === 'delivered';

/** A claim as the order will show it. */
export const placedAs = ({ id, reason, storeId, lines }: ReplacementRecord, createdAt: string): Replacement => ({
  id,
  reason,
  storeId,
  lines: lines.map((line) => ({ ...line, deliveredQty: 0, failedQty: 0 })),
  createdAt,
});

/** The replacements of an order, with those that are still claimed. */
export const replacementsWithClaims = (
  { replacements = [] }: Pick<StoredOrder, 'replacements'>,
  record: Pick<FulfillmentRecord, 'replacements'> | undefined,
): readonly Replacement[] => [
  ...replacements,
  ...(record?.replacements ?? []).filter(({ status }) => status === 'claimed').map((claim) => placedAs(claim, '')),
];

/** Whether a fulfillment order serves a replacement of delivered goods. */
export const replacesDelivered = (
  { replacements = [] }: Pick<StoredOrder, 'replacements'>,
  { replacementId }: Pick<SeenFulfillment, 'replacementId'>,
): boolean => replacements.some((one) => one.id === replacementId && isOfDelivered(one));

/** Units of a line of a fulfillment order that were picked or are to be picked, without lost units that others replace. */
export const unitsLeft = (
  { id, lines }: Pick<SeenFulfillment, 'id' | 'lines'>,
  orderLineId: string,
  replacements: readonly Replacement[] | undefined,
): number => {
  const line = lines.find((one) => one.orderLineId === orderLineId);
  return line ? line.qty - line.shortQty - replacedInParcel(id, orderLineId, replacements) : 0;
};

/** The units of a lost parcel that are neither refunded nor replaced. */
export const isAwaitingReplacement = ({ isLost, booked }: SeenFulfillment): boolean => isLost === true && booked === undefined;

/**
 * Gives units that were found after their replacement to a line whose goods fail: the customer has them, so they are not refunded.
 * @param units by line id
 * @returns the found units of each line, and the replacements that count them
 */
export function keepFound(
  { replacements = [], reconciliation = [] }: Pick<StoredOrder, 'replacements' | 'reconciliation'>,
  units: ReadonlyMap<string, number>,
): { readonly kept: ReadonlyMap<string, number>; readonly replacements: Replacement[] } {
  const found = new Set(
    reconciliation.flatMap(({ fulfillmentOrderId, reason }) => (reason === 'delivered-after-replacement' ? [fulfillmentOrderId] : [])),
  );
  const kept = new Map<string, number>();
  const counted = replacements.map((one) => ({
    ...one,
    lines: one.lines.map((line) => {
      if (line.lostFulfillmentOrderId === undefined || !found.has(line.lostFulfillmentOrderId)) return line;
      const before = kept.get(line.orderLineId) ?? 0;
      const { qty, foundQty = 0 } = line;
      const taken = Math.min(qty - foundQty, (units.get(line.orderLineId) ?? 0) - before);
      if (taken <= 0) return line;
      kept.set(line.orderLineId, before + taken);
      return { ...line, foundQty: foundQty + taken };
    }),
  }));
  return { kept, replacements: counted };
}

/** Whether its customer keeps all units of a found parcel in place of goods that failed. Then nothing is left to settle. */
export const isKept = (lostId: string, replacements: readonly Replacement[] = []): boolean => {
  const lines = replacements.flatMap((one) => one.lines.filter(({ lostFulfillmentOrderId }) => lostFulfillmentOrderId === lostId));
  return lines.length > 0 && lines.every(({ qty, foundQty }) => foundQty === qty);
};

/**
 * Whether all goods of a lost parcel were replaced, and goods in their place that failed are refunded. If the parcel is found, its customer
 * has goods without paying for them. Without a cancelled unit of its lines, found goods stand in for those that failed.
 */
export function isRefundedInPlace(
  lostId: string,
  { lines, replacements = [] }: Pick<StoredOrder, 'lines' | 'replacements'>,
  { seen }: Pick<FulfillmentRecord, 'seen'>,
): boolean {
  const lost = seen.find(({ id }) => id === lostId);
  if (!lost?.lines.every(({ orderLineId }) => unitsLeft(lost, orderLineId, replacements) === 0)) return false;
  if (!lines.some(({ lineId, cancelledQty }) => cancelledQty > 0 && lost.lines.some(({ orderLineId }) => orderLineId === lineId)))
    return false;
  const sent = seen.map((one) => ({ ...one, mayBeReplaced: isAwaitingReplacement(one) }));
  return failedInPlaceOf(lostId, replacements, sent) > 0;
}

/** The replacements of an order after a change of its fulfillment orders: how many units have arrived, and how many never will. */
export function countReplacements(
  replacements: readonly Replacement[] | undefined,
  { seen, short }: Pick<FulfillmentRecord, 'seen' | 'short'>,
): Replacement[] | undefined {
  return replacements?.map((one) => {
    const serving = seen.filter(({ replacementId }) => replacementId === one.id);
    if (serving.length === 0) return one;
    // Lines of a lost parcel may name the same order line; its units fill them in their order.
    const left = new Map<string, { delivered: number; failed: number }>();
    const lines = one.lines.map((line) => {
      const counted = left.get(line.orderLineId) ?? countLine(one, line.orderLineId);
      const deliveredQty = Math.min(line.qty, counted.delivered);
      const failedQty = Math.min(line.qty - deliveredQty, counted.failed);
      left.set(line.orderLineId, { delivered: counted.delivered - deliveredQty, failed: counted.failed - failedQty });
      return { ...line, deliveredQty, failedQty };
    });
    return { ...one, lines };

    function countLine({ id, reason }: Replacement, orderLineId: string) {
      let [delivered, failed] = [0, 0];
      for (const found of serving) {
        const units = unitsLeft(found, orderLineId, replacements);
        const line = found.lines.find((served) => served.orderLineId === orderLineId);
        const sent = (line?.qty ?? 0) - (line?.shortQty ?? 0);
        // Another location may serve short units of a replacement for a lost parcel.
        const missing = short.filter((entry) => entry.fulfillmentOrderId === found.id && entry.orderLineId === orderLineId);
        const given = missing.filter(({ status }) => status === 'cancelled').reduce((sum, { qty }) => sum + qty, 0);
        failed += isOfDelivered({ reason }) ? (line?.shortQty ?? 0) : given;
        if (found.booked === 'delivered') [delivered, failed] = [delivered + units, failed + sent - units];
        else if (found.booked === 'cancelled' || found.isLost) failed += sent;
      }
      return { id, delivered, failed };
    }
  });
}
