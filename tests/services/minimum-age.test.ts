import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

const LINES = ['wine-red', 'mug-blue'].map((sku) => ({ sku, qty: 1 }));
const AGES = [18, undefined];
const ages = ({ lines }: { lines: { minAge?: number }[] }) => lines.map(({ minAge }) => minAge);

test('A line of a product with a minimum age shows it on the basket, from the first line to the checkout, and on its order', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const { id } = await rehearsal.basket({ lines: [] });
  for (const line of LINES) await rehearsal.addLine(id, line);
  expect(ages(await rehearsal.object('basket', id))).toEqual(AGES);
  const draft = await rehearsal.draft({ lines: LINES });
  expect([ages(await rehearsal.object('basket', draft.basketId)), ages(draft)]).toEqual([AGES, AGES]);
});

test('A line of a product with a minimum age shows it on the transaction of a till and on the order of the sale', async () => {
  await using rehearsal = await newRehearsal();
  const sale = await rehearsal.sale({ lines: LINES });
  expect(ages(sale)).toEqual(AGES);
  await rehearsal.pay(sale.id, CASH, 1450 + 1299);
  await rehearsal.settle();
  const order = await rehearsal.order(sale.id);
  expect([order.state, ages(order)]).toEqual(['completed', AGES]);
});
