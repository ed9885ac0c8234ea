import { expect, test } from '@jest/globals';
import { notedOrders } from '../../services/crm/collections.ts';
import { orders } from '../../services/oms/collections.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';

/** Never called: `npm run check:types` reads it. Each expected error disappears when the types of a unit of work become looser. */
async function refusedByTheTypes(work: UnitOfWork): Promise<void> {
  const order = await work.get(orders, 'ord_1');
  if (!order) return;
  order.orderNumber satisfies string | undefined;
  work.id('ord') satisfies string;
  // @ts-expect-error a prefix that no object has
  work.id('odr');
  // @ts-expect-error a member that orders do not have
  order.colour;
  // @ts-expect-error an unknown unique
  await work.findUnique(orders, 'customer', 'cus_1');
  // @ts-expect-error an unknown index
  await work.find(orders, 'basket', 'bas_1');
  // @ts-expect-error an unknown index
  await work.count(orders, 'basket', ['bas_1']);
  // @ts-expect-error an index of a collection without indexes
  await work.find(notedOrders, 'customer', 'cus_1');
  // @ts-expect-error an unknown verb
  work.transition(orders, order, 'paint');
  // @ts-expect-error an unknown member
  work.transition(orders, order, 'cancel', { colour: 'blue' });
  // @ts-expect-error a member that only the unit writes
  work.transition(orders, order, 'cancel', { version: 7 });
  // @ts-expect-error a value of another type
  work.transition(orders, order, 'cancel', { orderNumber: 7 });
  // @ts-expect-error an unknown state
  work.transition(orders, order, 'cancel', {}, 'painted');
  // @ts-expect-error an incomplete object
  work.create(orders, 'create', { id: 'ord_2' });
  // @ts-expect-error a collection without a life cycle
  work.create(notedOrders, 'create', { id: 'ord_2' });
  // @ts-expect-error a collection that holds no business objects
  work.revise(notedOrders, undefined, { id: 'ord_2' });
  // @ts-expect-error an unknown member
  work.put(notedOrders, { id: 'ord_2', customerId: 'cus_1', colour: 'blue' });
  // @ts-expect-error an object of another collection
  work.expect(orders, { id: 'ord_2', version: 1 });
}

test('The types of a unit of work are checked at compile time', () => expect(refusedByTheTypes).toBeDefined());
