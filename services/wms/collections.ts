import { z } from 'zod';
import type { Progression } from '../../shared/catalog/control/progression.ts';
import {
  PickingOrder as PickingOrderSchema,
  PickingStatus as PickingStatusSchema,
} from '../../shared/catalog/fulfillment/picking-orders.ts';
import { WarehouseStep } from '../../shared/catalog/fulfillment/reference-data.ts';
import { StoreHours } from '../../shared/catalog/inventory/opening-hours.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

const version = z.int().min(0);

export type PickingOrder = z.output<typeof PickingOrderSchema>;
export type PickingStatus = z.output<typeof PickingStatusSchema>;

/** One per fulfillment order; `pickingOrderIdOf` derives its id. */
export const pickingOrders = defineCollection({
  name: 'picking-orders',
  schema: PickingOrderSchema,
  unique: { fulfillmentOrder: ({ fulfillmentOrderId }) => fulfillmentOrderId },
  etag: true,
});

const PickedLines = z.array(z.object({ orderLineId: Id, pickedQty: z.int().min(0) }));
export type PickedLines = z.output<typeof PickedLines>;

/** The intended move of a picking order, by its id: committed before the report to the FMS, removed after. Concurrent ones conflict. */
export const intendedMoves = defineCollection({
  name: 'intended-moves',
  schema: z.object({
    id: Id,
    version,
    move: z.object({ status: PickingStatusSchema, lines: PickedLines.optional(), since: Instant }).optional(),
  }),
});
export type IntendedMove = NonNullable<z.output<typeof intendedMoves.schema>['move']>;

/** The value of all open tasks in their index. No location has this id. */
export const ANYWHERE = '*';
export const openAt = (locationId: string): string => `at ${locationId}`;

/** The work of the warehouse on a fulfillment order; the id is the fulfillment order's. */
export const warehouseTasks = defineCollection({
  name: 'warehouse-tasks',
  schema: z.object({
    id: Id,
    version,
    /** The newest processed version of the fulfillment order. Events about older versions change nothing. */
    seen: z.int(),
    open: z.boolean(),
    /** The delays of the warehouse begin at this instant. */
    allocatedAt: Instant,
    /** Time of the next step in epoch milliseconds; absent while the progression of the warehouse is manual. */
    stepAt: z.int().optional(),
    /** The location that picks it. */
    locationId: Id.optional(),
    /** The store that picks it, if its customer collects the goods there. */
    store: Id.optional(),
    /** Whether the fulfillment order was cancelled, so that nobody picks it any more. */
    cancelled: z.literal(true).optional(),
  }),
  index: { open: ({ open, locationId }) => (open ? [ANYWHERE, ...(locationId === undefined ? [] : [openAt(locationId)])] : undefined) },
});
export type WarehouseTask = z.output<typeof warehouseTasks.schema>;

/** Stores prepare the goods that their customers collect. Warehouses, and stores that send goods, do the rest. */
export const modeOf = (
  { store }: Pick<WarehouseTask, 'store'>,
  progression: Pick<Progression, 'warehouse' | 'store'>,
): Progression['warehouse'] => (store === undefined ? progression.warehouse : progression.store);

/** The delay of each step after the allocation; the id is the step. */
export const warehouseSteps = defineCollection({
  name: 'warehouse-steps',
  reference: true,
  schema: z.object({ id: WarehouseStep.shape.step, version, afterMs: z.int().min(0) }),
});

/** The locations that are warehouses. Stores hold stock too but are not part of the WMS. */
export const warehouses = defineCollection({ name: 'warehouses', reference: true, schema: z.object({ id: Id, version }) });

/** The stores where customers collect orders. Their staff works while they are open. */
export const stores = defineCollection({ name: 'stores', reference: true, schema: StoreHours.extend({ id: Id, version }) });

const FULFILLMENT_ID = /^ful_(.+)$/;

/**
 * The id of the picking order of a fulfillment order. It is derived: the FMS gets it before it is stored here, and a request that
 * takes over after a crash has to name the same id.
 * @throws Problem `not_found` for anything but the id of a fulfillment order
 */
export function pickingOrderIdOf(fulfillmentOrderId: string): string {
  const [, tail] = FULFILLMENT_ID.exec(fulfillmentOrderId) ?? [];
  if (tail === undefined) throw notFound('fulfillment-order', fulfillmentOrderId);
  return `pck_${tail}`;
}
