import { defineDueWork } from '../../shared/work/due-work.ts';

/** The SIM gets the record of stock that is held for an order line. The key is the hold's id. */
export const finishAllocationDue = defineDueWork('finish-allocation');
