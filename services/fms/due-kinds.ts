/** Has every line of a new fulfillment order allocated; the key of all kinds is the fulfillment order's id. */
export const ALLOCATE = 'allocate';
/** Writes off the units that the warehouse did not find. */
export const WRITE_OFF = 'write-off';
/** Takes dispatched goods out of the stock records, when the dispatch itself could not. */
export const TAKE_STOCK = 'take-stock';
/** Registers a parcel with the carrier and has its label made, when the dispatch itself could not. */
export const HAND_OVER = 'hand-over';
/** Gives up a parcel that nobody took and nobody scans any more. */
export const GIVE_UP_DELIVERY = 'give-up-delivery';
/** Puts goods that came back into the stock records. */
export const RESTOCK = 'restock';
