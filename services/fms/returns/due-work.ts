import { z } from 'zod';
import { Id } from '../../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../../shared/work/due-work.ts';

// The key of each kind is the id of a return. The key of `put-back` includes the attempt, because another one may follow.

/** Undoes a Create Return without an answer. The OMS releases its bookings. */
export const undoReturnDue = defineDueWork('undo-return');
/** Takes the next step of policy, store or warehouse. */
export const returnStepDue = defineDueWork('return-step');
/** Registers the parcel of an approved return with the carrier and requests its label. */
export const returnParcelDue = defineDueWork('return-parcel');
/** Ends a return whose parcel is lost or went back to the customer. */
export const giveUpReturnDue = defineDueWork('give-up-return');
/** Finishes a rejection, which the OMS must accept. */
export const finishRejectionDue = defineDueWork('finish-rejection');
/** Puts inspected goods into the stock records. */
export const bookReturnedStockDue = defineDueWork('book-returned-stock');
/** Returns the goods to stock that a refused rejection had taken out. */
export const putBackDue = defineDueWork('put-back', z.object({ returnId: Id, attempt: z.int(), taken: z.array(Id).readonly() }));
/** Calls the OMS to refund an inspected or written-off return. */
export const settleReturnDue = defineDueWork('settle-return');
/** Reports to the OMS how a return ended. */
export const closeReturnDue = defineDueWork('close-return');
