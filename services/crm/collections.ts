import { z } from 'zod';
import { Customer, customer } from '../../shared/catalog/customer/objects.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { isRegistered } from './customer-rules.ts';
import { partsOfCustomer } from './name-parts.ts';

/** E-mail and phone are unique among registered customers. Guests may share them. */
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

/** The party of a basket, by the basket's id. */
export const parties = defineCollection({ name: 'parties', schema: z.object({ id: Id, version: z.int(), customerId: Id }) });

/** Orders whose confirmation has counted as activity, by the order's id. */
export const notedOrders = defineCollection({ name: 'noted-orders', schema: z.object({ id: Id, version: z.int(), customerId: Id }) });

/** The request that enrolled a customer, by the customer's id. If due work finishes the enrolment, a repeat of that request finds it. */
export const enrolments = defineCollection({ name: 'enrolments', schema: z.object({ id: Id, version: z.int(), request: z.string() }) });
