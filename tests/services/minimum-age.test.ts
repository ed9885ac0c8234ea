import { describe, expect, test } from '@jest/globals';
import { returning } from './return-scenes.ts';
import { begin, CASH, pay } from './till-scenes.ts';

const LINES = [
  { sku: 'wine-red', qty: 1 },
  { sku: 'mug-blue', qty: 1 },
];

const ages = ({ lines }: { lines: { minAge?: number }[] }) => lines.map(({ minAge }) => minAge);

describe('A line of a product with a minimum age', () => {
  test('shows the age on the basket, from the first line to the checkout, and on its order', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const basket = await rehearsal.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada' });
    for (const line of LINES) await rehearsal.ok('POST', `/baskets/${basket.id}/lines`, line);
    const draft = await scene.draftOf(LINES);
    expect(ages(await rehearsal.object('basket', basket.id))).toEqual([18, undefined]);
    expect(ages(await rehearsal.object('basket', draft.basketId))).toEqual([18, undefined]);
    expect(ages(draft)).toEqual([18, undefined]);
  });

  test('shows the age on the transaction of a till and on the order of the sale', async () => {
    await using scene = await returning();
    const sale = await begin(scene.rehearsal, { lines: LINES });
    expect(ages(sale)).toEqual([18, undefined]);
    await pay(scene.rehearsal, sale.id, CASH, 1450 + 1299);
    await scene.settle();
    const order = await scene.order(sale.id);
    expect([order.state, ages(order)]).toEqual(['completed', [18, undefined]]);
  });
});
