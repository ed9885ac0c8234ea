import { z } from 'zod';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

/** Finishes the opening of a picking order that a request began; the key is the picking order's id. */
export const finishOpeningDue = defineDueWork('finish-opening', z.object({ fulfillmentOrderId: Id }));
/** Finishes the move of a picking order that a request began; the key is the picking order's id. */
export const finishMoveDue = defineDueWork('finish-move');
/** Takes the next automatic step; the key is the fulfillment order's id. `attempt` counts refused offers for dispatch. */
export const warehouseStepDue = defineDueWork('warehouse-step', z.object({ attempt: z.int().min(0) }));
