import { defineDueWork } from '../../shared/work/due-work.ts';

// The key of each kind is the id of a fulfillment order, unless its comment names another key.

/** Allocates every line of a new fulfillment order. */
export const allocateDue = defineDueWork('allocate');
/** Writes off the units that the warehouse did not find. */
export const writeOffDue = defineDueWork('write-off');
/** Takes dispatched goods out of the stock records, if the dispatch could not. */
export const takeStockDue = defineDueWork('take-stock');
/** Registers a parcel with the carrier and requests its label, if the dispatch could not. */
export const handOverDue = defineDueWork('hand-over');
/** Gives up a parcel that could not be delivered and has no further scans. */
export const giveUpDeliveryDue = defineDueWork('give-up-delivery');
/** Gives up a parcel when a carrier outside the estate stops reporting scans; the key is the shipment's id. */
export const giveUpSilentParcelDue = defineDueWork('give-up-silent-parcel');
/** Puts goods that came back into the stock records. */
export const restockDue = defineDueWork('restock');
