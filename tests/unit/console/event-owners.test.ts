import { expect, test } from '@jest/globals';
import { eventNames } from '../../../ui/events/event-owners.ts';

const about = (object: object) => ({ data: { object } });
const ORDER = { id: 'ord_01M8N29HX14G98JYXRC4YE96ZA', orderNumber: '261130-2QCX47', customerId: 'cus_ada' };
const EVENTS = [
  about({ id: 'shp_1', fulfillmentOrderId: 'ful_1', trackingNumber: 'UC1' }),
  about({ id: 'shp_2', fulfillmentOrderId: 'ful_unseen' }),
  about({ id: 'ful_1', orderId: ORDER.id }),
  about(ORDER),
  about({ id: 'cus_ada', firstName: 'Ada', lastName: 'Byrne' }),
  about({ id: 'prd_1' }),
  {},
];

test('An event belongs to the order of its object, which a parcel reaches through its fulfillment order, or else to the customer', () => {
  const { owner } = eventNames(EVENTS);
  expect(EVENTS.map(owner)).toEqual(['261130-2QCX47', undefined, '261130-2QCX47', 'Ada Byrne', undefined, undefined, undefined]);
});

test('An object of events is named by its number or name, and by its shortened id while no event shows it', () => {
  expect(['shp_1', ORDER.id, 'cus_ada'].map(eventNames(EVENTS).object)).toEqual(['UC1', '261130-2QCX47', 'Ada Byrne']);
  expect(eventNames([]).object(ORDER.id)).toBe('ord_…E96ZA');
});
