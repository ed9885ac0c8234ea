import { z } from 'zod';
import { Customer, customer } from '../../shared/catalog/customer/objects.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { isRegistered } from './customer-rules.ts';
import { partsOfCustomer } from './name-parts.ts';

/** E-mail and phone are unique among registered customers; any number of guests may have left the same ones at checkout. */
export const customers = defineCollection({
  name: 'customers',
  object: customer,
  schema: Customer,
  unique: {
    registeredEmail: (found) => (isRegistered(found) ? found.email : undefined),
    registeredPhone: (found) => (isRegistered(found) ? found.phone : undefined),
  },
  index: { email: ({ email }) => email, phone: ({ phone }) => phone, part: partsOfCustomer },
});

/** The party that was made for a basket, by the basket's id. */
export const parties = defineCollection({
  name: 'parties',
  schema: z.object({ id: Id, version: z.int(), customerId: Id }),
});

/** Orders whose confirmation counted as activity, by the order's id. */
export const notedOrders = defineCollection({
  name: 'noted-orders',
  schema: z.object({ id: Id, version: z.int(), customerId: Id }),
});

/** Which request made a customer a member, by the customer's id: due work may have finished it before that request is repeated. */
export const enrolments = defineCollection({
  name: 'enrolments',
  schema: z.object({ id: Id, version: z.int(), request: z.string() }),
});
