import { defineEvent } from '../define-object.ts';

export const paymentAuthorized = defineEvent({
  name: 'payment-authorized',
  classification: 'transitioned',
  object: 'payment',
  meaning: 'Payment pre-authorised with the provider for the required amount',
  subscribers: [{ application: 'pos', purpose: 'adds a tender that was approved later, or whose answer was lost' }],
});

export const paymentCaptured = defineEvent({
  name: 'payment-captured',
  classification: 'transitioned',
  object: 'payment',
  meaning: 'Pre-authorised amount captured, funds transferred',
  subscribers: [{ application: 'pos', purpose: 'counts the captured part of a tender; the rest is outstanding again' }],
});
