import { defineEvent } from '../define-object.ts';

export const basketCreated = defineEvent({
  name: 'basket-created',
  classification: 'created',
  object: 'basket',
  meaning: 'New basket for a customer or anonymous session',
});

export const checkoutStarted = defineEvent({
  name: 'checkout-started',
  classification: 'transitioned',
  object: 'basket',
  meaning: 'Basket entered checkout; payment and delivery details being collected',
});

export const checkoutCancelled = defineEvent({
  name: 'checkout-cancelled',
  classification: 'transitioned',
  object: 'basket',
  meaning: 'In-progress checkout abandoned or cancelled before payment completion',
});
