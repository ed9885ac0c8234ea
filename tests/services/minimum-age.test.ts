import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

const LINES = [
  { sku: 'wine-red', qty: 1 },
  { sku: 'mug-blue', qty: 1 },
];

const ages = ({ lines }: { lines: { minAge?: number }[] }) => lines.map(({ minAge }) => minAge);

describe('A line of a product with a minimum age', () => {
  test('shows the age on the basket, from the first line to the checkout, and on its order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const basket = await scene.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' } });
    for (const line of LINES) await scene.api('add-line-to-basket-api', { params: { id: basket.id }, body: line });
    const draft = await scene.draft({ lines: LINES });
    expect(ages(await scene.object('basket', basket.id))).toEqual([18, undefined]);
    expect(ages(await scene.object('basket', draft.basketId))).toEqual([18, undefined]);
    expect(ages(draft)).toEqual([18, undefined]);
  });

  test('shows the age on the transaction of a till and on the order of the sale', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const sale = await scene.sale({ lines: LINES });
    expect(ages(sale)).toEqual([18, undefined]);
    await scene.pay(sale.id, CASH, 1450 + 1299);
    await scene.settle();
    const order = await scene.order(sale.id);
    expect([order.state, ages(order)]).toEqual(['completed', [18, undefined]]);
  });
});
