import { expect, test } from '@jest/globals';
import { createReferences, isMadeByEstate } from '../../control/story/references.ts';

const ORDER = 'ord_01M8E8G23M2P69YMPZQR7ZHGYC';

test.each([
  ['an id', ORDER, true],
  ['a tracking number', 'UC13935862648340', true],
  ['an instant', '2026-11-27T10:23:26.746Z', true],
  ['an address', '/labels/r/label-01.pdf', true],
  ['a word of the catalog', 'partially-refunded', false],
  ['a text with spaces', 'left at door 12, no answer', false],
  ['a short text with a digit', 'H91', false],
  ['an id of the fixtures', 'prd_mug-blue-2026', false],
  ['a text that the client sent first', 'checkout-4711', false],
])('The text of an answer is a reference if only the estate can have made it: %s', (_what, text, isMade) => {
  const known = { requests: new Set(['checkout-4711']), seed: '{"id":"prd_mug-blue-2026"}' };
  expect(isMadeByEstate(text, known)).toBe(isMade);
});

test('A reference to a text names the first answer with it, and a reference to an amount names the newest answer with this amount to pay', () => {
  const references = createReferences('{}');
  const answer = (call: number) => ({ is: 'answer', call }) as const;
  const total = { amount: 2_598, currency: 'EUR' };
  references.add(answer(0), { id: ORDER, version: 2, lines: [{ qty: 2, lineId: `${ORDER}-1` }], totals: { total } });
  references.add(answer(1), { order: { id: ORDER }, price: { amount: 500, currency: 'EUR' }, outstanding: total });
  expect(references.ofText(ORDER)).toEqual({ source: answer(0), path: ['id'] });
  expect(references.ofText(`${ORDER}-1`)).toEqual({ source: answer(0), path: ['lines', 0, 'lineId'] });
  expect(references.ofMoney(total)).toEqual({ source: answer(1), path: ['outstanding'] });
  expect(references.ofMoney({ amount: 500, currency: 'EUR' })).toBeUndefined();
  expect(references.ofMoney({ amount: 2_598, currency: 'USD' })).toBeUndefined();
  expect([references.ofVersion(ORDER, 2)?.path, references.ofVersion(ORDER, 3)]).toEqual([['version'], undefined]);
});
