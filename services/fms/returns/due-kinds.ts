/** Undoes a Create Return that got no answer: what the OMS may have booked is given back. The key of all kinds is the return's id. */
export const UNDO_RETURN = 'undo-return';
/** Policy, store or warehouse take the next step when returns move by themselves. */
export const RETURN_STEP = 'return-step';
/** Registers the parcel of an approved return with the carrier and has its label made. */
export const RETURN_PARCEL = 'return-parcel';
/** Ends a return whose parcel is lost, or back with its customer. */
export const GIVE_UP_RETURN = 'give-up-return';
/** Finishes a rejection that the OMS has to agree to. */
export const FINISH_REJECTION = 'finish-rejection';
/** Puts what was inspected into the stock records. */
export const BOOK_RETURNED_STOCK = 'book-returned-stock';
/** Puts on the shelf again what a rejection that came to nothing had taken out. The key names the attempt, too: another one may follow. */
export const PUT_BACK = 'put-back';
/** Has the OMS pay back what an inspected return is worth. */
export const SETTLE_RETURN = 'settle-return';
/** Tells the OMS how a return ended. */
export const CLOSE_RETURN = 'close-return';
