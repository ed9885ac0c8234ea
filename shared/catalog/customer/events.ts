import { defineEvent } from '../define-object.ts';

export const customerRegistered = defineEvent({
  name: 'customer-registered',
  classification: 'created',
  object: 'customer',
  meaning: 'New customer record with identity and contact information',
});

export const customerInteractionLogged = defineEvent({
  name: 'customer-interaction-logged',
  classification: 'updated',
  object: 'customer',
  meaning: 'Interaction (visit note, product preference, task) recorded',
});
