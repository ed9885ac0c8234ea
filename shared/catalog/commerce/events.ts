import { defineEvent } from '../define.ts';

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
