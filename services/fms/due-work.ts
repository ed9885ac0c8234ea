import { z } from 'zod';
import { Id } from '../../shared/catalog/shapes.ts';
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
/** Reports the goods of a collection to the Carrier Platform. */
export const reportUnitDue = defineDueWork('report-unit');
/** Reminds the customer of a collection after half of the time. */
export const remindCustomerDue = defineDueWork('remind-customer');
/** Puts the goods of a collection back that nobody collected. */
export const giveUpCollectionDue = defineDueWork('give-up-collection');
/** Returns the units that a customer refused at the counter. */
export const returnRefusedDue = defineDueWork('return-refused', z.object({ attempt: z.int().min(0) }));
/** Accepts codes for a collection again. */
export const unlockCollectionDue = defineDueWork('unlock-collection');
/** Puts goods that came back into the stock records. */
export const restockDue = defineDueWork('restock');

// The key of each kind is the id of a return. The key of `put-back` includes the attempt, because another attempt may follow.

/** Undoes a Create Return that the OMS did not answer. The OMS releases its bookings. */
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

/** Rehearsal time after which due work takes over a request: longer than a request may take. */
export const TAKE_OVER_MS = 30_000;

/** Rehearsal time without a scan after which a failed delivery, or a return whose parcel is lost or went back, is given up. */
export const GIVE_UP_MS = 7 * 24 * 60 * 60 * 1_000;

/** Time that a scan of the Carrier Platform has to arrive before a failed delivery is examined again. */
export const REPORT_WAIT_MS = 24 * 60 * 60 * 1_000;

/** Wall time for each call after a committed dispatch; slower calls are left to due work. */
export const HAND_OVER_TIMEOUT_MS = 3_000;
