import { z } from 'zod';
import { defineApi } from '../define.ts';
import { atLeastOne, Email, Phone, pageOf } from '../shapes.ts';
import { Consents, Customer } from './objects.ts';

export const searchCustomer = defineApi({
  id: 'search-customer-api',
  name: 'Search Customer',
  summary: 'Customers by e-mail, phone or part of a name, in order of creation; without any of them all customers, page by page.',
  domain: 'customer',
  type: 'query',
  application: 'crm',
  auth: 'bearer',
  method: 'GET',
  path: '/customers',
  query: z.strictObject({
    email: z.string().min(1).max(254).optional().describe('The whole address; case does not matter.'),
    phone: z.string().min(1).max(32).optional().describe('E.164.'),
    q: z.string().min(1).max(100).optional().describe('Part of a name, an e-mail address or a phone number.'),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the page before.'),
  }),
  response: pageOf(Customer),
  shapes: 'our choice',
});

export const getCustomer = defineApi({
  id: 'get-customer-api',
  name: 'Get Customer',
  summary: 'A customer with addresses and consents.',
  domain: 'customer',
  type: 'query',
  application: 'crm',
  auth: 'bearer',
  method: 'GET',
  path: '/customers/{id}',
  response: Customer,
  problems: ['not_found'],
  shapes: 'our choice',
});

export const createCustomer = defineApi({
  id: 'create-customer-api',
  name: 'Create Customer',
  summary:
    'Registers a customer after a deduplication check on e-mail and phone; a party that checkout had identified becomes this customer.',
  domain: 'customer',
  type: 'command',
  application: 'crm',
  auth: 'bearer',
  method: 'POST',
  path: '/customers',
  request: atLeastOne(
    z.strictObject({
      email: Email.optional(),
      phone: Phone.optional(),
      firstName: z.string().min(1).max(80),
      lastName: z.string().min(1).max(80),
      consents: Consents.partial().optional().describe('What is left out is not agreed to.'),
    }),
    ['email', 'phone'],
  ),
  response: Customer,
  status: 201,
  emits: ['customer-registered'],
  problems: ['duplicate_customer'],
});
