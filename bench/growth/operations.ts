import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { placeOrder } from '../order-journey.ts';
import type { Growth } from './grown-world.ts';

/** A common operation. Its answer does not depend on the size of the rehearsal. */
export interface Operation {
  readonly what: string;
  readonly ask: (client: EstateClient, story: Story) => Promise<unknown>;
}

/** The order whose events and hops are requested. */
export interface Story {
  readonly rehearsal: string;
  readonly order: string;
  readonly correlationId: string;
  /** Id of the event of its confirmation. */
  readonly event: string;
}

/** Minimum content of the small rehearsal: one page of a customer's orders, and one page of events of each type. */
export const SMALL: Growth = { objects: 20, events: 500, hops: 0 };
/** Number of the first further copy. */
export const BEYOND_SMALL = SMALL.events + 1;

async function get(client: EstateClient, path: string): Promise<unknown> {
  const reply = await client.call('GET', path);
  if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

const events = (client: EstateClient, query: Readonly<Record<string, string | number>>) =>
  client.control('list-events', { query: { limit: 10, ...query } });

let registered = 0;

/** Operations without hops come first, because later hops evict the order's hops from the journal. */
export const operations: readonly Operation[] = [
  { what: 'events: the first', ask: (client) => events(client, {}) },
  { what: 'events of a story', ask: (client, { correlationId }) => events(client, { correlationId }) },
  { what: 'events of an object', ask: (client, { order }) => events(client, { subject: `order/${order}`, ext: 'true' }) },
  { what: 'events of a type', ask: (client) => events(client, { type: 'order-created' }) },
  {
    what: 'wait for an event',
    ask: (client, { order }) =>
      client.control('wait-for-events', { body: { type: 'order-confirmed', subject: `order/${order}`, timeoutMs: 5_000 } }),
  },
  {
    what: 'journal of a story',
    ask: (client, { correlationId }) => client.control('read-journal', { query: { correlationId, limit: 100 } }),
  },
  { what: 'journal: the newest', ask: (client) => client.control('read-journal', { query: { limit: 10 } }) },
  { what: 'settle', ask: (client) => client.control('settle') },
  { what: 'one object of any type', ask: (client, { order }) => client.control('read-object', { params: { type: 'order', id: order } }) },
  { what: 'an inventory item', ask: (client) => client.control('read-object', { params: { type: 'inventory-item', id: 'mug-blue' } }) },
  { what: 'contents of a rehearsal', ask: (client, { rehearsal }) => client.control('read-rehearsal', { params: { name: rehearsal } }) },
  { what: 'one event', ask: (client, { event }) => client.control('read-event', { params: { id: event } }) },
  { what: 'topology', ask: (client) => client.control('read-topology') },
  { what: 'types of objects', ask: (client) => client.control('list-object-types') },
  { what: 'the newest orders', ask: (client) => client.control('list-objects', { params: { type: 'order' }, query: { limit: 5 } }) },
  {
    what: 'the newest customers in a state',
    ask: (client) => client.control('list-objects', { params: { type: 'customer' }, query: { state: 'active', limit: 3 } }),
  },
  { what: 'one customer', ask: (client) => get(client, '/customers/cus_ada') },
  { what: 'a page of customers', ask: (client) => get(client, '/customers?limit=5') },
  { what: 'customers by e-mail', ask: (client) => get(client, '/customers?email=clara%40people.example') },
  { what: 'customers by part of a name', ask: (client) => get(client, '/customers?q=clara') },
  { what: 'everything of a customer', ask: (client) => get(client, '/customers/cus_ada/360') },
  { what: 'one order', ask: (client, { order }) => get(client, `/orders/${order}`) },
  { what: 'one product', ask: (client) => get(client, '/products/prd_mug-blue') },
  { what: 'stock of a SKU', ask: (client) => get(client, '/inventory/items/mug-blue') },
  {
    what: 'register a customer',
    ask: async (client) => {
      registered += 1;
      const email = `somebody-${registered}-${process.pid}@people.example`;
      const reply = await client.call('POST', '/customers', { firstName: 'Some', lastName: 'Body', email });
      if (reply.status !== 201) throw new Error(`POST /customers: ${reply.status} ${JSON.stringify(reply.body)}`);
    },
  },
  { what: 'place an order', ask: (client) => placeOrder(client) },
];

export async function tellStory(client: EstateClient): Promise<Story> {
  const order = await placeOrder(client);
  await client.control('settle');
  const { items } = await client.control('list-events', { query: { type: 'order-confirmed', subject: `order/${order}` } });
  const { id, rehearsal, correlationid } = items[0]?.event ?? {};
  return { rehearsal: String(rehearsal), order, correlationId: String(correlationid), event: String(id) };
}
