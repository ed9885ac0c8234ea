import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { Address, clientMembers, commonFields, Email, Id, Instant, Phone, referenceColumn, typedText } from '../shapes.ts';

export const customerLifeCycle = defineLifeCycle({
  object: 'customer',
  states: ['anonymous', 'identified', 'registered', 'active', 'at-risk', 'churned', 'reactivated', 'blocked'],
  rows: [
    { verb: 'create', from: [null], to: 'anonymous', trigger: 'Create Basket without customerId' },
    { verb: 'identify', from: ['anonymous'], to: 'identified', trigger: 'Checkout Basket with contact: e-mail, phone or card' },
    { verb: 'identify', from: ['identified'], trigger: 'Checkout Basket with further contact data' },
    {
      verb: 'register',
      from: [null, 'identified'],
      to: 'registered',
      events: ['customer-registered'],
      trigger: 'Create Customer; no other registered customer has this e-mail or phone',
    },
    { verb: 'activity', from: ['anonymous', 'identified', 'active'], trigger: 'order confirmed' },
    { verb: 'activity', from: ['registered', 'at-risk', 'reactivated'], to: 'active', trigger: 'order confirmed' },
    { verb: 'activity', from: ['churned'], to: 'reactivated', trigger: 'order confirmed' },
    {
      verb: 'log-interaction',
      from: ['anonymous', 'identified', 'active', 'reactivated'],
      events: ['customer-interaction-logged'],
      trigger: 'Log Customer Interaction',
    },
    {
      verb: 'log-interaction',
      from: ['registered', 'at-risk'],
      to: 'active',
      events: ['customer-interaction-logged'],
      trigger: 'Log Customer Interaction',
    },
    {
      verb: 'log-interaction',
      from: ['churned'],
      to: 'reactivated',
      events: ['customer-interaction-logged'],
      trigger: 'Log Customer Interaction',
    },
    {
      verb: 'log-past-interaction',
      from: ['anonymous', 'identified', 'registered', 'active', 'at-risk', 'churned', 'reactivated'],
      events: ['customer-interaction-logged'],
      trigger: 'Log Customer Interaction of 90 d ago or more',
    },
    { verb: 'enrol', from: ['identified', 'registered', 'active', 'at-risk', 'churned', 'reactivated'], trigger: 'Enroll Loyalty Member' },
    { verb: 'idle', from: ['active', 'reactivated'], to: 'at-risk', trigger: 'time: 90 d without activity' },
    { verb: 'idle', from: ['at-risk'], to: 'churned', trigger: 'time: 180 d without activity' },
    {
      verb: 'block',
      from: ['anonymous', 'identified', 'registered', 'active', 'at-risk', 'churned', 'reactivated'],
      to: 'blocked',
      trigger: 'control plane: block',
    },
    { verb: 'unblock', from: ['blocked'], to: 'active', trigger: 'control plane: unblock' },
    {
      verb: 'change',
      from: ['anonymous', 'identified', 'registered', 'active', 'at-risk', 'churned', 'reactivated', 'blocked'],
      trigger: 'control plane: change of name, contact or other members',
    },
  ],
});

/** What identifies a customer who is not registered. */
export const PartyContact = z.strictObject({ email: Email.optional(), phone: Phone.optional(), loyaltyCard: typedText(64).optional() });

export const Consents = z
  .strictObject({ emailMarketing: z.boolean(), smsMarketing: z.boolean(), profiling: z.boolean() })
  .meta({ id: 'Consents', description: 'Consents of the customer.' });

export const InteractionType = z.enum(['visit', 'styling-session', 'callback']).meta({ id: 'InteractionType' });

export const Interaction = z
  .object({ id: Id, type: InteractionType, note: z.string().optional(), occurredAt: Instant })
  .meta({ id: 'Interaction', description: 'A contact between store staff and a customer.' });

/** Moves of a customer by customer service. Only the control plane makes them. */
export const CustomerVerb = z.enum(['block', 'unblock']).meta({ id: 'CustomerVerb' });

export const Customer = z
  .object({
    ...commonFields,
    state: z.enum(customerLifeCycle.states),
    email: Email.optional(),
    phone: Phone.optional(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    addresses: z.array(Address),
    consents: Consents,
    loyaltyAccountId: Id.optional(),
    lastActivityAt: Instant.optional().describe('The newest confirmed order or interaction.'),
    interactions: z.array(Interaction).describe('The newest 20, newest first.'),
    ...clientMembers,
  })
  .meta({ id: 'Customer' });

export const customer = defineObject({
  type: 'customer',
  idPrefix: 'cus',
  owner: 'crm',
  meaning: 'Canonical party recognized as a customer',
  schema: Customer,
  label: ['{firstName} {lastName}', '{firstName}', '{lastName}', '{email}', '{phone}'],
  columns: { email: '{email}', phone: '{phone}', 'loyalty account': '{loyaltyAccountId}' },
  moreColumns: referenceColumn,
  lifeCycle: customerLifeCycle,
});
