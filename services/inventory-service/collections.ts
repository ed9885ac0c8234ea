import { z } from 'zod';
import { HeldAt, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { Location } from '../../shared/catalog/inventory/reference-data.ts';
import { Id, Quantity, Sku } from '../../shared/catalog/shapes.ts';
import { defineCollection, defineCounters } from '../../shared/store/collections.ts';

const version = z.int().min(0);

/** The service of parcels to a store, and the id of their time. */
export const TRANSFER = 'STANDARD';

/**
 * Stock per SKU and location, by `stockKey`. The guards are checked in the commit that moves a counter, so only one of two requests for
 * the last unit gets it, even in different processes.
 */
export const stock = defineCounters({
  name: 'stock',
  // `missingSafety`: safety stock that a count did not find, or that was sold at the till. It is restored when a later count finds it.
  fields: ['onHand', 'reserved', 'safetyStock', 'missingSafety'],
  guards: {
    atp: { onHand: 1, reserved: -1, safetyStock: -1 },
    onHand: { onHand: 1 },
    reserved: { reserved: 1 },
  },
});

/**
 * Movements of units since the world began, by `stockKey`: initial stock + returned + found + recounted + received = on hand + shipped +
 * carried out + written off + sent. `sent` are units that left for a store, and `received` those that arrived from a warehouse. Units that were scrapped, or found and sold, never count as on hand, so they are on neither side. `recounted` is the sum of the
 * differences that counts found.
 */
export const unitsMoved = defineCounters({
  name: 'units-moved',
  fields: ['shipped', 'carriedOut', 'writtenOff', 'returned', 'found', 'scrapped', 'foundAndSold', 'recounted', 'sent', 'received'],
  signed: ['recounted'],
  guards: {},
});

/** SKUs with stock counters; the id is the SKU. Whether a product may be sold is stored in the eCommerce Platform only. */
export const skus = defineCollection({ name: 'skus', reference: true, schema: z.object({ id: Sku, version }) });

const StoredLocation = Location.extend({ version });
export type StoredLocation = z.output<typeof StoredLocation>;

export const locations = defineCollection({ name: 'locations', reference: true, schema: StoredLocation });

/** How long a parcel takes to a store, from the order to its delivery; the only row. */
export const transferTimes = defineCollection({
  name: 'transfer-times',
  reference: true,
  schema: z.object({ id: z.literal(TRANSFER), version, afterMs: z.int().min(0) }),
});

/** The order line of a reservation that Allocate Inventory made. `attempts` counts the attempts to record it at the SIM. */
const AllocatedLine = z.object({ orderId: Id, orderLineId: Id, sku: Sku, qty: Quantity, attempts: z.int().min(1), recorded: z.boolean() });

const StoredHold = z.object({
  id: Id,
  version,
  /**
   * `released` and `refused` are final: a repeat gets the same answer. A reservation whose stock was never taken may be `released`
   * too. `given-back` stock may be taken again, because the SIM never had its record.
   */
  state: z.enum(['held', 'refused', 'released', 'given-back']),
  /** The units as they were reserved. Units that have left since are in `moved`. */
  allocations: z.array(HeldAt),
  /** Units that left, were missing, or are sent to a store, once per reference. */
  moved: z
    .array(
      z.object({
        reference: z.string(),
        kind: z.enum(['give-back', 'consume', 'write-off', 'send', 'receive', 'not-received']),
        allocations: z.array(HeldAt),
      }),
    )
    .optional(),
  /** The SKUs that were short when the reservation was refused. */
  short: z.array(z.object({ sku: Sku, requested: z.int(), available: z.int() })).optional(),
  line: AllocatedLine.optional(),
  /** Why the stock went back. */
  reference: z.string().optional(),
});
export type Hold = z.output<typeof StoredHold>;

/** The stock of each reservation; the id is the reservation's. An order line has one reservation. */
export const holds = defineCollection({
  name: 'holds',
  schema: StoredHold,
  unique: { orderLine: ({ line, state }) => (line && state !== 'given-back' ? orderLineKey(line) : undefined) },
});

/** Stock that came back or was found; the id is the reference of the movement. */
export const stockMovements = defineCollection({
  name: 'stock-movements',
  schema: z.object({
    id: z.string(),
    version,
    kind: recordStockMovement.request.shape.kind,
    locationId: Id,
    sku: Sku,
    qty: Quantity,
    found: recordStockMovement.response.shape.found,
  }),
});

/** Each count of a SKU at a location, by `stockKey`. Two concurrent counts conflict, so one runs again with the result of the other. */
export const counts = defineCollection({ name: 'counts', schema: z.object({ id: z.string(), version }) });

/** Ids contain no `|`, so each pair has its own key. */
export const stockKey = (sku: string, locationId: string): string => `${sku}|${locationId}`;
export const orderLineKey = ({ orderId, orderLineId }: { orderId: string; orderLineId: string }): string => `${orderId}|${orderLineId}`;
