import { expect, test } from '@jest/globals';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { newRehearsal } from '../support/estate.ts';

const played = (Object.values(controlOperations) as readonly ControlOperation[]).flatMap(({ id, path, plays }) =>
  plays ? [{ id, path, ...plays }] : [],
);

type Move = Awaited<ReturnType<typeof movesOf>>[number];
const movesOf = async (object: string) => {
  await using rehearsal = await newRehearsal();
  const { items } = await rehearsal.control('list-life-cycles');
  expect(items.map(({ type }) => type)).toEqual(objects.flatMap(({ type, lifeCycle }) => (lifeCycle ? [type] : [])));
  return items.find(({ type }) => type === object)?.moves ?? [];
};
const of = (moves: readonly Move[], named: string) => moves.filter(({ verb }) => verb === named);

test('A list of life cycles has one move for each state before and after', async () => {
  const moves = await movesOf('order');
  expect(of(moves, 'create')).toEqual([
    { verb: 'create', from: null, to: 'draft', events: ['order-created'], trigger: 'Create Order; its basket is locked' },
  ]);
  expect([...of(moves, 'complete'), ...of(moves, 'end-return')].map(({ from, to }) => `${from} > ${to}`)).toEqual([
    ...['in-fulfilment > completed', 'partially-fulfilled > completed'],
    ...['return-in-progress > return-in-progress', 'return-in-progress > completed'],
  ]);
});

test('A list of life cycles has a move that keeps the state as a move from the state to itself, with the additional event', async () => {
  const [adding] = of(await movesOf('basket'), 'add-line');
  expect(adding).toMatchObject({ from: 'open', to: 'open', events: ['ext.basket-changed'] });
  expect(adding?.control).toBeUndefined();
});

test.each(played)('A list of life cycles names $id at each verb of a $object that it plays', async ({ id, object, verbs, by, path }) => {
  const playable = (await movesOf(object)).filter(({ control }) => control === id);
  expect([...new Set(playable.map(({ verb }) => verb))].toSorted()).toEqual([...verbs].toSorted());
  expect(by === undefined).toBe(/\/\{(verb|scan)\}$/.test(path));
});

test('A list of life cycles names no operation at a verb that only the estate plays', async () =>
  expect(of(await movesOf('shipment'), 'label').map(({ control }) => control)).toEqual([undefined]));
