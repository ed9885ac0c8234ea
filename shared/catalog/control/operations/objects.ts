import { z } from 'zod';
import { Location } from '../../inventory/reference-data.ts';
import { Instant, queryInteger, Sku, typedText } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { ObjectReference, Trace } from './traces.ts';

export const readObject = defineOperation({
  id: 'read-object',
  summary: 'Reads any business object, including those without an API.',
  path: '/_control/objects/{type}/{id}',
  response: z.record(z.string(), z.unknown()),
  problems: ['not_found'],
});

export const listObjectTypes = defineOperation({
  id: 'list-object-types',
  summary: 'Lists the types of business objects, each with its owner and the number of its objects, in total and by state.',
  path: '/_control/objects',
  response: z.object({
    items: z.array(
      z.object({
        type: z.string(),
        owner: z.string(),
        count: z.int(),
        states: z.record(z.string(), z.int()).describe('Empty for a type without a life cycle.'),
      }),
    ),
  }),
});

export const ListedObject = z.object({
  id: z.string(),
  order: z.int().describe('Position when objects are sorted by creation.'),
  state: z.string().optional(),
  version: z.int(),
  createdAt: Instant.optional(),
  updatedAt: Instant.optional(),
  label: z.string().optional().describe('Name for people: an order number, a name, an amount.'),
  columns: z
    .record(z.string(), z.string())
    .describe(
      'Columns of a list, by heading: customer, total. The list of orders shows how payment and goods stand; the list of fulfillment orders shows collections, and what their customers still pay.',
    ),
  related: z.array(ObjectReference).describe('Business objects that it refers to, at most 20.'),
  names: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'In a list and in a search: names for the ids and SKUs in its label and columns, such as the names of its customer and its goods.',
    ),
});

export const listObjects = defineOperation({
  id: 'list-objects',
  summary: 'Lists business objects of a type, newest first.',
  path: '/_control/objects/{type}',
  query: z.strictObject({
    state: z.string().max(60).optional().describe('Only objects in this state.'),
    q: typedText(160)
      .optional()
      .describe(
        'Text in any member of the object, or of its customer, in any case: an order number, name, e-mail, SKU, total. One request searches at most 1,000 objects.',
      ),
    payment: z.string().max(60).optional().describe('Only orders whose payment stands so: unpaid, authorised, paid.'),
    goods: z
      .string()
      .max(60)
      .optional()
      .describe('Only orders whose goods are so far: the state of the fulfillment order that is furthest behind, or of its parcel.'),
    collection: z
      .string()
      .max(60)
      .optional()
      .describe('Only fulfillment orders whose customer collects the goods, and whose goods are there: preparing, on-the-way, waiting.'),
    collectAt: z.string().max(64).optional().describe('Only fulfillment orders whose goods are collected at this store.'),
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().describe('The member `next` of the previous answer.'),
    limit: queryInteger(1, 200).default(50).describe('Maximum number of objects in an answer.'),
  }),
  response: z.object({
    items: z.array(ListedObject),
    next: z.int().optional().describe('Value of `before` for the next page. Absent when there are no older objects.'),
  }),
});

const Move = z.object({
  verb: z.string(),
  from: z.string().nullable().describe('null if the object does not exist yet.'),
  to: z.string(),
  events: z.array(z.string()),
  trigger: z.string().describe('The cause of the move in business terms.'),
  control: z.string().optional().describe('Id of the control operation that plays this verb.'),
});

export const listRelatedObjects = defineOperation({
  id: 'list-related-objects',
  summary:
    'Lists the related objects of an object in full: the objects that it refers to, the newest objects that refer to it, the objects that these refer to, and all their products.',
  method: 'GET',
  path: '/_control/objects/{type}/{id}/related',
  response: z.object({
    items: z
      .array(ListedObject.extend({ type: z.string(), object: z.record(z.string(), z.unknown()).describe('As read-object returns it.') }))
      .describe('At most 100 objects, then at most 100 products.'),
    pointWorth: z.int().min(1).describe('What a loyalty point pays at this retailer, in minor units.'),
  }),
  problems: ['not_found'],
});

export const listLifeCycles = defineOperation({
  id: 'list-life-cycles',
  summary: 'Lists the life cycle of every type of business object: its states and moves.',
  path: '/_control/life-cycles',
  response: z.object({ items: z.array(z.object({ type: z.string(), states: z.array(z.string()), moves: z.array(Move) })) }),
});

export const listStock = defineOperation({
  id: 'list-stock',
  summary: 'Lists stock by SKU and location.',
  path: '/_control/stock',
  query: z.strictObject({
    sku: Sku.optional().describe('Only stock of this SKU.'),
    location: z.string().max(64).optional().describe('Only stock at this store or distribution center.'),
    after: z.string().max(140).optional().describe('The member `next` of the previous answer.'),
    limit: queryInteger(1, 500).default(100).describe('Maximum number of rows in an answer.'),
  }),
  response: z.object({
    items: z.array(
      z.object({
        sku: z.string(),
        name: z.string().optional().describe('Name of its product.'),
        locationId: z.string(),
        locationName: z.string().optional(),
        onHand: z.int(),
        reserved: z.int(),
        safetyStock: z.int(),
        atp: z.int().describe('Available to promise.'),
      }),
    ),
    next: z.string().optional().describe('Value of `after` for the next page. Absent on the last page.'),
  }),
});

export const search = defineOperation({
  id: 'search',
  summary: 'Finds objects, traces and events by any text: an id, order number, name, e-mail, phone, SKU or tracking number.',
  path: '/_control/search',
  query: z.strictObject({
    q: typedText(160)
      .min(1)
      .describe('The text, in any case. Of each type, the newest 1,000 objects are searched; ids are found among all.'),
    limit: queryInteger(1, 50).default(5).describe('Maximum number of objects of each type, and of traces.'),
  }),
  response: z.object({
    items: z
      .array(ListedObject.extend({ type: z.string() }))
      .describe(
        'Business objects. An object with this id comes first, then objects with this name; then by type, people and orders before the rest, newest first.',
      ),
    traces: z
      .array(Trace.pick({ correlationId: true, startedAt: true, method: true, path: true, status: true }))
      .describe('Traces with the text in their correlation id, path, API or application, newest first.'),
    events: z.array(z.object({ id: z.string(), type: z.string(), subject: z.string() })).describe('The event with this id, or none.'),
  }),
});

const Named = z.object({ id: z.string(), name: z.string() });

export const listNames = defineOperation({
  id: 'list-names',
  summary: 'Lists the names of locations, promotions and vouchers, because objects have only their ids. A voucher’s id is its code.',
  path: '/_control/names',
  response: z.object({
    locations: z.array(Named.extend({ type: Location.shape.type })).describe('Sorted by priority.'),
    promotions: z.array(Named),
    vouchers: z.array(Named.extend({ enabled: z.boolean() })),
  }),
});

export const objectsOperations = [
  listObjectTypes,
  listObjects,
  readObject,
  listRelatedObjects,
  listNames,
  search,
  listLifeCycles,
  listStock,
] as const;
