import { z } from 'zod';
import { defineApi } from '../define.ts';
import { invalid, type Problem } from '../problems.ts';
import { Address, Id, Instant, NAME, queryInteger, typedText } from '../shapes.ts';
import { TimeZone } from '../time-zone.ts';
import { ClosedDay, OpeningHours } from './opening-hours.ts';
import { Position } from './reference-data.ts';

/** What a customer chooses at checkout in place of an address. */
export const CollectionRequest = z
  .strictObject({
    locationId: Id.describe('The store. GET /collection-points lists the stores that have the goods.'),
    person: typedText(120).optional().describe('Who may collect the goods without the code, by name. Default: only the code works.'),
  })
  .meta({ id: 'CollectionRequest' });

/** The collection that a basket or an order has in place of an address. */
export const Collection = z
  .object({
    locationId: Id.describe('The store where the customer collects the goods.'),
    person: z.string().max(120).optional().describe('Who may collect the goods without the code.'),
    readyBy: Instant.describe('When the store promises to have the goods ready, as of the checkout.'),
  })
  .meta({ id: 'Collection' });
export type Collection = z.output<typeof Collection>;

/** Only an order that is paid when it is collected has the member. */
export const PaidAtCollection = z
  .literal('collection')
  .optional()
  .describe('Our addition. Its customer pays at a till of the store, before the goods are handed over. Absent for all other orders.');

/** Where the goods of a collection come from. */
export const CollectionSource = z.enum(['shelf', 'transfer']).meta({
  id: 'CollectionSource',
  description: 'shelf: the store has every unit. transfer: one warehouse has every unit, and sends them to the store.',
});
export type CollectionSource = z.output<typeof CollectionSource>;

/** The members of a reservation that decide where its goods can be collected. */
interface Reserved {
  readonly collectAt?: string;
  readonly allocations: readonly { readonly locationId: string }[];
}

/** Whether a reservation serves the customer at this store: from its shelf, or from a warehouse that the Inventory Service chose for it. */
export const isReservedFor = (reserved: Reserved, store: string): boolean =>
  reserved.collectAt === store || sourceOf(reserved, store) === 'shelf';

/** Where the goods of a reservation come from that serves this store. */
export const sourceOf = ({ allocations }: Pick<Reserved, 'allocations'>, store: string): CollectionSource =>
  allocations.every(({ locationId }) => locationId === store) ? 'shelf' : 'transfer';

/** How goods can be collected in a store, as of now. */
export const CollectableAt = Collection.pick({ locationId: true, readyBy: true })
  .extend({ from: CollectionSource })
  .meta({ id: 'CollectableAt' });

const CollectionPoint = z
  .object({
    locationId: Id,
    name: z.string(),
    address: Address,
    position: Position.optional(),
    distanceKm: z.number().optional().describe('Distance from near, in kilometres as the crow flies. Absent if the store has no position.'),
    openingHours: OpeningHours,
    closedDays: z.array(ClosedDay),
    timeZone: TimeZone,
    from: CollectionSource.optional().describe('Present with sku.'),
    readyBy: Instant.describe('When an order that is placed now is ready.'),
  })
  .meta({ id: 'CollectionPoint' });

/** The refusal of a place where customers cannot collect orders. */
export const noCollectionAt = (pointer: string, id: string): Problem =>
  invalid(
    pointer,
    'no_collection',
    `Customers cannot collect orders at "${id}": it hands out none, or stays closed for 60 days. GET /collection-points lists the stores that have the goods.`,
  );

/** The most SKUs in one question. */
export const MOST_SKUS = 50;

const ONE_SKU = NAME.source.slice(1, -1);

export const listCollectionPoints = defineApi({
  id: 'list-collection-points-api',
  name: 'List Collection Points',
  summary:
    'Lists the stores where a customer can collect goods: with opening hours, and when the goods are ready. Advisory, like an availability: only a checkout reserves the goods.',
  application: 'inventory-service',
  path: '/collection-points',
  query: z.strictObject({
    sku: z
      .string()
      .max(MOST_SKUS * 65)
      .regex(new RegExp(`^${ONE_SKU}(?:,${ONE_SKU}){0,${MOST_SKUS - 1}}$`), `This must be 1 to ${MOST_SKUS} SKUs, separated by commas.`)
      .optional()
      .describe(
        'SKUs of the goods, separated by commas. Only stores that have all of them, or get all of them from one warehouse, are listed. Default: all stores with collection.',
      ),
    qty: z
      .string()
      .regex(
        new RegExp(`^[1-9][0-9]{0,3}(?:,[1-9][0-9]{0,3}){0,${MOST_SKUS - 1}}$`),
        `This must be 1 to ${MOST_SKUS} whole numbers from 1 to 9999, separated by commas.`,
      )
      .optional()
      .describe('Units of each SKU, in the same order. Default: 1 of each.'),
    near: z
      .string()
      .regex(
        /^-?\d{1,2}(?:\.\d{1,8})?,-?\d{1,3}(?:\.\d{1,8})?$/,
        'This must be a latitude and a longitude in degrees, such as 53.27,-9.06.',
      )
      .optional()
      .describe('Latitude and longitude in degrees: the nearest store comes first. Default: by priority.'),
    limit: queryInteger(1, 100).default(20).describe('Stores in the answer. Default: 20.'),
  }),
  response: z.object({ items: z.array(CollectionPoint), asOf: Instant }),
  problems: ['not_found'],
  addition: true,
});
