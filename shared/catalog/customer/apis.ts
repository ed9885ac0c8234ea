import { z } from 'zod';
import { Basket } from '../commerce/objects.ts';
import { defineApi } from '../define.ts';
import { Return } from '../fulfillment/returns.ts';
import { LoyaltyAccount } from '../loyalty/objects.ts';
import { Order } from '../order/objects.ts';
import { dependencyProblems } from '../problems.ts';
import {
  AnyInstant,
  atLeastOne,
  createMembers,
  Email,
  EmailInQuery,
  Id,
  Phone,
  PhoneInQuery,
  pageOf,
  queryInteger,
  typedText,
} from '../shapes.ts';
import { Consents, Customer, Interaction, InteractionType } from './objects.ts';

export const searchCustomer = defineApi({
  id: 'search-customer-api',
  summary:
    'Finds customers by e-mail, phone or part of a name. Without criteria it lists all customers. Customers of the fixtures come first, in file order, then all others, oldest first.',
  application: 'crm',
  path: '/customers',
  query: z.strictObject({
    email: EmailInQuery.optional(),
    phone: PhoneInQuery.optional(),
    q: typedText(100).optional().describe('Part of a name, an e-mail address or a phone number.'),
    limit: queryInteger(1, 100).default(20).describe('Customers per page. Default: 20.'),
    cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous page.'),
  }),
  response: pageOf(Customer),
  shapes: 'our choice',
});

export const getCustomer = defineApi({
  id: 'get-customer-api',
  summary: 'Returns a customer with addresses and consents.',
  application: 'crm',
  path: '/customers/{id}',
  response: Customer,
  problems: ['not_found'],
  shapes: 'our choice',
});

export const createCustomer = defineApi({
  id: 'create-customer-api',
  summary: 'Registers a customer after a deduplication check on e-mail and phone. A party that checkout identified becomes this customer.',
  type: 'command',
  application: 'crm',
  method: 'POST',
  path: '/customers',
  request: atLeastOne(
    z.strictObject({
      email: Email.optional(),
      phone: Phone.optional(),
      firstName: typedText(80).describe('For a person with one name, that name.'),
      lastName: typedText(80).optional(),
      consents: Consents.partial().optional().describe('Omitted consents are not given.'),
      ...createMembers,
    }),
    ['email', 'phone'],
  ),
  response: Customer,
  status: 201,
  emits: ['customer-registered'],
  problems: ['duplicate_customer', 'conflicting_repeat'],
});

/** Parts of the 360 view. Each has its owner. */
export const ViewPart = z.enum(['customer', 'loyalty', 'orders', 'openBaskets', 'returns', 'interactions']).meta({ id: 'ViewPart' });

export const getCustomer360 = defineApi({
  id: 'get-customer-360-api',
  summary:
    'Returns all data of a customer: profile, points, orders, open baskets, returns, interactions. If an application does not answer, its part is degraded, and the view still succeeds.',
  application: 'clienteling-app',
  path: '/customers/{id}/360',
  response: z
    .object({
      customer: Customer.optional().describe('Absent while the CRM does not answer.'),
      loyalty: LoyaltyAccount.optional().describe('Absent for customers who are not members.'),
      orders: z.array(Order).describe('The newest 20, newest first.'),
      openBaskets: z.array(Basket).describe('Open or in checkout, newest first, at most 20.'),
      returns: z.array(Return).describe('The newest 20, newest first.'),
      interactions: z.array(Interaction),
      degraded: z.array(ViewPart).describe('Parts whose owner did not answer. They are absent or empty.'),
    })
    .meta({ id: 'Customer360' }),
  problems: ['not_found'],
  shapes: 'our choice',
});

export const logInteraction = defineApi({
  id: 'log-interaction-api',
  name: 'Log Customer Interaction',
  summary: 'Records a visit, a styling session or a callback in the profile of a customer.',
  type: 'command',
  application: 'clienteling-app',
  method: 'POST',
  path: '/interactions',
  request: z.strictObject({
    customerId: Id,
    type: InteractionType,
    note: typedText(2000).optional(),
    occurredAt: AnyInstant.optional().describe('Default: now. An instant up to five minutes in the future counts as now.'),
  }),
  response: Customer,
  status: 201,
  emits: ['customer-interaction-logged'],
  problems: ['not_found', 'customer_blocked', ...dependencyProblems],
});

export const customerApis = [searchCustomer, getCustomer, getCustomer360, createCustomer, logInteraction] as const;
