import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Email, Phone } from '../shapes.ts';
import { Customer } from './objects.ts';

export const putParty = defineInternalCall({
  id: 'put-party',
  name: 'Put Party',
  summary:
    'The party behind a basket: without contact an anonymous one; with contact it is identified, or the customer who has that e-mail, phone or card answers. One per basket.',
  domain: 'customer',
  type: 'command',
  application: 'crm',
  method: 'PUT',
  path: '/internal/parties/{basketId}',
  request: z.strictObject({
    contact: z
      .strictObject({ email: Email.optional(), phone: Phone.optional(), loyaltyCard: z.string().min(1).max(64).optional() })
      .optional(),
  }),
  response: Customer,
  problems: ['dependency_unavailable', 'dependency_timeout', 'dependency_error'],
  callers: ['ecommerce-platform'],
});
