import { defineEvent } from '../define-object.ts';

export const inventoryReserved = defineEvent({
  name: 'inventory-reserved',
  classification: 'created',
  object: 'reservation',
  meaning: 'Stock soft-reserved against a basket or order to prevent overselling',
});

export const reservationCreated = defineEvent({
  name: 'reservation-created',
  classification: 'created',
  object: 'reservation',
  meaning: 'New reservation created for a basket or order',
});
