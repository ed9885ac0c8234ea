import { defineDueWork } from '../../shared/work/due-work.ts';

/** Records stock that is reserved for an order line at the SIM. The key is the reservation's id. */
export const finishAllocationDue = defineDueWork('finish-allocation');
