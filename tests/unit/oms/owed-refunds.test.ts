import { expect, test } from '@jest/globals';
import { owedAfterFailures } from '../../../shared/catalog/payment/refunds.ts';
import { eur } from '../../support/steps/tender.ts';

type Refunds = Parameters<typeof owedAfterFailures>[0][number]['refunds'];

const day = (number: number) => `2026-03-0${number}T10:00:00.000Z`;
const failed = (amount: number, more: object = {}) => ({
  amount: eur(amount),
  state: 'failed' as const,
  at: day(1),
  decidedAt: day(2),
  ...more,
});
const later = (amount: number, more: object = {}) => ({ amount: eur(amount), state: 'succeeded' as const, at: day(2), ...more });
const MUG = { reference: 'cancelled/line-1/1' };
const LAMP = { reference: 'cancelled/line-2/1' };
const BACK = { returnId: 'ret_1', reference: 'return/ret_1/0' };

test.each<[string, Refunds, number]>([
  ['A failed refund is owed', [failed(500)], 500],
  ['A refund before the failure repeats nothing', [failed(500), later(500, { at: day(1) })], 500],
  ['A refund by a client repeats failed refunds, except for returns', [failed(500, MUG), failed(300, BACK), later(600)], 300],
  ['A refund of a return repeats a failed refund of it', [failed(300, BACK), later(200, { ...BACK, reference: 'return/ret_1/200' })], 100],
  ['A refund of other missing units does not repeat a failed one', [failed(500, MUG), later(500, LAMP)], 500],
  ['A refund of the same missing units repeats a failed one', [failed(500, MUG), later(200, { reference: `${MUG.reference}/1` })], 300],
  ['A repeat that fails is owed again', [failed(500, MUG), failed(500, { at: day(2), decidedAt: day(3) })], 500],
])('%s', (_title, refunds, owed) => {
  expect(owedAfterFailures([{ refunds }])).toBe(owed);
});

test.each([
  ['after', [1, 2, 3], 0],
  ['before', [1, 3, 2], 500],
])('Of refunds of one instant, only a request %s the failure repeats it, whichever payment it is of', (_title, places, owed) => {
  const [sequence, decidedSequence, second] = places;
  const first = failed(500, { at: day(2), sequence, decidedSequence });
  const other = later(500, { sequence: second });
  expect([owedAfterFailures([{ refunds: [first, other] }]), owedAfterFailures([{ refunds: [other] }, { refunds: [first] }])]).toEqual([
    owed,
    owed,
  ]);
});

test('Of refunds of one instant without a sequence, which an earlier release stored, the next one of the payment repeats the failure', () => {
  const first = failed(500, { at: day(2) });
  expect([owedAfterFailures([{ refunds: [first, later(500)] }]), owedAfterFailures([{ refunds: [later(500), first] }])]).toEqual([0, 500]);
});

test('A dispute that was lost before a refund failed, in one instant, does not repeat it', () => {
  const lostAt = (decidedSequence: number) => ({
    id: 'pay_1.dispute-1',
    state: 'lost' as const,
    reason: 'general' as const,
    amount: eur(500),
    fee: eur(2000),
    openedAt: day(1),
    respondBy: day(9),
    decidedAt: day(2),
    decidedSequence,
  });
  const refunds = [failed(500, { sequence: 1, decidedSequence: 3 })];
  expect([2, 4].map((place) => owedAfterFailures([{ refunds, disputes: [lostAt(place)] }]))).toEqual([500, 0]);
});

test('What is owed for missing units does not include other failed refunds', () => {
  const refunds = [failed(500, MUG), failed(300, LAMP), failed(100)];
  expect(owedAfterFailures([{ refunds }], MUG)).toBe(500);
});

test('A lost dispute repeats failed refunds, and an open or a won one does not', () => {
  const dispute = {
    id: 'pay_1.dispute-1',
    reason: 'general' as const,
    amount: eur(400),
    fee: eur(2000),
    openedAt: day(3),
    respondBy: day(9),
  };
  const owedWith = (state: 'open' | 'won' | 'lost') =>
    owedAfterFailures([
      { refunds: [failed(500, MUG)], disputes: [{ ...dispute, state, decidedAt: state === 'open' ? undefined : day(4) }] },
    ]);
  expect([owedWith('open'), owedWith('won'), owedWith('lost')]).toEqual([500, 500, 100]);
});

test('The owed amount of an order takes linear time, however many of its refunds failed and were repeated', () => {
  const many = (refund: (number: number) => Refunds[number]) => Array.from({ length: 20_000 }, (_, number) => refund(number));
  const histories = [
    many(() => failed(1)),
    many((number) => (number % 2 === 0 ? failed(1) : later(1, { at: day(3) }))),
    many((number) => failed(1, { at: day(2), sequence: number, decidedSequence: 20_000 + number })),
  ];
  const began = process.cpuUsage();
  expect(histories.map((refunds) => owedAfterFailures([{ refunds }]))).toEqual([20_000, 0, 20_000]);
  const { user, system } = process.cpuUsage(began);
  // A quadratic algorithm takes half a minute, and a linear one takes milliseconds on any machine.
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
