import { z } from 'zod';
import { HeldAt, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { Location } from '../../shared/catalog/inventory/reference-data.ts';
import { Id, Quantity, Sku } from '../../shared/catalog/shapes.ts';
import { defineCollection, defineCounters } from '../../shared/store/collections.ts';

const version = z.int().min(0);

/**
 * The only place that decides whether stock is left, keyed by `stockKey`. The guards are checked in the commit that moves a
 * counter, so that two requests for the last unit cannot both have it, in however many processes they run.
 */
export const stock = defineCounters({
  name: 'stock',
  // `missingSafety`: safety stock that counting found not to be there; it is kept back again when it is counted again.
  fields: ['onHand', 'reserved', 'safetyStock', 'missingSafety'],
  guards: {
    atp: { onHand: 1, reserved: -1, safetyStock: -1 },
    onHand: { onHand: 1 },
    reserved: { reserved: 1 },
  },
});

/**
 * What happened to units since the world began, keyed like the stock: what was there + returned + found + recounted = on hand +
 * shipped + written off. Scrapped units came back and were thrown away, those found and sold were never known to be there, so they
 * count on neither side. `recounted` is what counting made of the number before, more or less.
 */
export const unitsMoved = defineCounters({
  name: 'units-moved',
  fields: ['shipped', 'writtenOff', 'returned', 'found', 'scrapped', 'foundAndSold', 'recounted'],
  guards: {},
});

/** The SKUs that have stock counters; the id is the SKU. Whether a product may be sold is not known here. */
export const skus = defineCollection({ name: 'skus', schema: z.object({ id: Sku, version }) });

export const locations = defineCollection({ name: 'locations', schema: Location.extend({ version }) });

/** The order line of a hold that Allocate Inventory took; `attempts` counts how often somebody set out to record it at the SIM. */
const AllocatedLine = z.object({
  orderId: Id,
  orderLineId: Id,
  sku: Sku,
  qty: Quantity,
  attempts: z.int().min(1),
  recorded: z.boolean(),
});

const StoredHold = z.object({
  id: Id,
  version,
  /**
   * `released`, also of a hold that was never taken, and `refused` are final: whoever asks again for the same hold gets the same
   * answer. `given-back`: the SIM never knew it, it may be taken again.
   */
  state: z.enum(['held', 'refused', 'released', 'given-back']),
  /** What was taken; what left the hold since is in `moved`. */
  allocations: z.array(HeldAt),
  /** Units that left or were not there, once per reference. */
  moved: z.array(z.object({ reference: z.string(), kind: z.enum(['consume', 'write-off']), allocations: z.array(HeldAt) })).optional(),
  /** Why it was refused. */
  short: z.array(z.object({ sku: Sku, requested: z.int(), available: z.int() })).optional(),
  line: AllocatedLine.optional(),
  /** Why its stock went back. */
  reference: z.string().optional(),
});
export type Hold = z.output<typeof StoredHold>;

/** What each reservation took from which location; the id is the reservation's. An order line is allocated once. */
export const holds = defineCollection({
  name: 'holds',
  schema: StoredHold,
  unique: { orderLine: ({ line, state }) => (line && state !== 'given-back' ? orderLineKey(line) : undefined) },
});

/** Stock that came back or turned up; the id is the reference under which it was recorded. */
export const stockMovements = defineCollection({
  name: 'stock-movements',
  schema: z.object({ id: z.string(), version, kind: recordStockMovement.request.shape.kind, locationId: Id, sku: Sku, qty: Quantity }),
});

/** No id contains the stroke, so that no two pairs share a key. */
export const stockKey = (sku: string, locationId: string): string => `${sku}|${locationId}`;
export const orderLineKey = ({ orderId, orderLineId }: { readonly orderId: string; readonly orderLineId: string }): string =>
  `${orderId}|${orderLineId}`;
