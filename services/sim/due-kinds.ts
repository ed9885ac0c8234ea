/** Undoes a Reserve Inventory that never answered. */
export const ABORT_HOLD = 'abort-hold';
/** A timed hold has run out. */
export const EXPIRE_RESERVATION = 'expire-reservation';
/** A reservation has ended here; its stock goes back there. */
export const GIVE_BACK_STOCK = 'give-back-stock';
/** Units of a reservation left, or were not there; the stock moves there. */
export const MOVE_STOCK = 'move-stock';
