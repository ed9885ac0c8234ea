import { z } from 'zod';
import { changeOf } from '../changes.ts';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { AnyInstant, typedText } from '../shapes.ts';
import { Customer, CustomerVerb, InteractionType, PartyContact } from './objects.ts';

export const putParty = defineInternalCall({
  id: 'put-party',
  summary:
    'Creates or identifies the party behind a basket, or behind an order without one. Without contact it is anonymous. With contact it is identified, or the customer with that e-mail, phone or card is returned. One party per basket.',
  type: 'command',
  application: 'crm',
  method: 'PUT',
  path: '/internal/parties/{basketId}',
  request: z.strictObject({
    contact: PartyContact.optional(),
  }),
  response: Customer.extend({
    cardUnread: z.literal(true).optional().describe('The Loyalty Platform did not answer, so the owner of the card is unknown.'),
  }),
  problems: [...dependencyProblems],
  callers: ['ecommerce-platform', 'oms'],
});

export const logCustomerInteraction = defineInternalCall({
  id: 'log-customer-interaction',
  name: 'Log Customer Interaction at the CRM',
  summary: 'Records an interaction and moves the customer accordingly.',
  type: 'command',
  application: 'crm',
  method: 'POST',
  path: '/internal/customers/{id}/interactions',
  request: z.strictObject({
    type: InteractionType,
    note: typedText(2000).optional(),
    occurredAt: AnyInstant.optional().describe('Default: now.'),
  }),
  response: Customer,
  emits: ['customer-interaction-logged'],
  problems: ['not_found', 'customer_blocked'],
  callers: ['clienteling-app'],
});

export const moveCustomer = defineInternalCall({
  id: 'move-customer',
  summary:
    'Blocks or unblocks a customer on behalf of customer service. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'crm',
  method: 'POST',
  path: '/internal/customers/{id}/moves',
  request: z.strictObject({ verb: CustomerVerb }),
  response: Customer,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

/** The state, the account and the activity of a customer follow from what happens. A reference stays with its customer. */
const FIXED = ['id', 'version', 'state', 'createdAt', 'updatedAt', 'loyaltyAccountId', 'lastActivityAt', 'interactions', 'reference'];

export const changeCustomer = defineInternalCall({
  id: 'change-customer',
  summary:
    'Changes members of a customer by merge patch, on behalf of customer service. A change to the same values changes nothing. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'crm',
  method: 'PUT',
  path: '/internal/customers/{id}',
  request: changeOf(Customer.shape, FIXED),
  response: Customer,
  problems: ['not_found', 'duplicate_customer'],
  callers: [],
});

export const customerInternalCalls = [putParty, logCustomerInteraction, moveCustomer, changeCustomer] as const;
