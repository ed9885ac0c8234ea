import { z } from 'zod';
import { commonFields, Id, Instant, Quantity, Sku } from '../shapes.ts';

export const PickingStatus = z.enum(['open', 'started', 'picked', 'short', 'packed']).meta({ id: 'PickingStatus' });

/** Moves of a picking order. A repeated status changes nothing. */
export const pickingMoves = {
  open: ['started'],
  started: ['picked', 'short'],
  picked: ['packed'],
  short: ['packed'],
  packed: [],
} as const satisfies Record<z.output<typeof PickingStatus>, readonly z.output<typeof PickingStatus>[]>;

/** What a location still has to do for a fulfillment order. `waiting`: nobody has opened its picking order. */
export const PickingTask = z
  .object({
    fulfillmentOrderId: Id,
    locationId: Id,
    status: z.enum(['waiting', ...PickingStatus.options]),
    pickingOrderId: Id.optional().describe('Absent while it waits.'),
    since: Instant.describe('When the goods were allocated.'),
  })
  .meta({ id: 'PickingTask' });

/** The picking of a fulfillment order at the warehouse, one per fulfillment order. It is not a business object: the fulfillment order moves. */
export const PickingOrder = z
  .object({
    ...commonFields,
    fulfillmentOrderId: Id,
    status: PickingStatus,
    lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, pickedQty: z.int().min(0) })),
  })
  .meta({ id: 'PickingOrder' });
