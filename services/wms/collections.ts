import { z } from 'zod';
import { PickingOrder as PickingOrderSchema, PickingStatus as PickingStatusSchema } from '../../shared/catalog/fulfillment/objects.ts';
import { WarehouseStep } from '../../shared/catalog/fulfillment/reference-data.ts';
import { Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

const version = z.int().min(0);

export type PickingOrder = z.output<typeof PickingOrderSchema>;
export type PickingStatus = z.output<typeof PickingStatusSchema>;

/** One per fulfillment order: its id follows from that one's, see `pickingOrderIdOf`. */
export const pickingOrders = defineCollection({
  name: 'picking-orders',
  schema: PickingOrderSchema,
  unique: { fulfillmentOrder: ({ fulfillmentOrderId }) => fulfillmentOrderId },
  etag: true,
});

const PickedLines = z.array(z.object({ orderLineId: Id, pickedQty: z.int().min(0) }));
export type PickedLines = z.output<typeof PickedLines>;

/**
 * What a picking order is about to become: committed before the FMS hears of it, and gone when its answer is stored. The id is the
 * picking order's, so that two statuses at once meet here.
 */
export const intendedMoves = defineCollection({
  name: 'intended-moves',
  schema: z.object({
    id: Id,
    version,
    move: z.object({ status: PickingStatusSchema, lines: PickedLines.optional(), since: Instant }).optional(),
  }),
});
export type IntendedMove = NonNullable<z.output<typeof intendedMoves.schema>['move']>;

/** A fulfillment order as far as the warehouse is concerned; the id is its id. */
export const warehouseTasks = defineCollection({
  name: 'warehouse-tasks',
  schema: z.object({
    id: Id,
    version,
    /** Version of the fulfillment order that this is about: an event that comes late takes nothing back. */
    seen: z.int(),
    open: z.boolean(),
    /** From then on the warehouse counts. */
    allocatedAt: Instant,
    /** When the warehouse moves it by itself, as epoch milliseconds; absent while it is worked by hand. */
    stepAt: z.int().optional(),
  }),
  index: { open: ({ open }) => (open ? 'yes' : undefined) },
});
export type WarehouseTask = z.output<typeof warehouseTasks.schema>;

/** How long after allocation a warehouse that works by itself takes which step; the id is the step. */
export const warehouseSteps = defineCollection({
  name: 'warehouse-steps',
  schema: z.object({ id: WarehouseStep.shape.step, version, afterMs: z.int().min(0) }),
});

/** The locations that are warehouses; stores hold stock as well, but not here. */
export const warehouses = defineCollection({ name: 'warehouses', schema: z.object({ id: Id, version }) });
