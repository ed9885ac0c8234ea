import { describe, expect, test } from '@jest/globals';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { newRehearsal } from '../support/estate.ts';

const played = (Object.values(controlOperations) as readonly ControlOperation[]).flatMap(({ id, path, plays }) =>
  plays ? [{ id, path, ...plays }] : [],
);

describe('A list of life cycles', () => {
  test('has every type with states, and one move for each state before and after', async () => {
    await using rehearsal = await newRehearsal();
    const { items } = await rehearsal.client.control('list-life-cycles');
    expect(items.map(({ type }) => type)).toEqual(objects.flatMap(({ type, lifeCycle }) => (lifeCycle ? [type] : [])));
    const order = items.find(({ type }) => type === 'order');
    expect(order?.states).toContain('partially-fulfilled');
    expect(order?.moves.filter(({ verb }) => verb === 'create')).toEqual([
      { verb: 'create', from: null, to: 'draft', events: ['order-created'], trigger: 'Create Order; its basket is locked' },
    ]);
    expect(order?.moves.filter(({ verb }) => verb === 'complete').map(({ from, to }) => [from, to])).toEqual([
      ['in-fulfilment', 'completed'],
      ['partially-fulfilled', 'completed'],
    ]);
    expect(order?.moves.filter(({ verb }) => verb === 'end-return').map(({ from, to }) => [from, to])).toEqual([
      ['return-in-progress', 'return-in-progress'],
      ['return-in-progress', 'completed'],
    ]);
  });

  test('shows a move that keeps the state as one from that state to itself, with the additional event', async () => {
    await using rehearsal = await newRehearsal();
    const { items } = await rehearsal.client.control('list-life-cycles');
    const adding = items.find(({ type }) => type === 'basket')?.moves.find(({ verb }) => verb === 'add-line');
    expect(adding).toMatchObject({ from: 'open', to: 'open', events: ['ext.basket-changed'] });
    expect(adding?.control).toBeUndefined();
  });

  test.each(played)('names $id at each verb of a $object that it plays', async ({ id, object, verbs, path }) => {
    await using rehearsal = await newRehearsal();
    const { items } = await rehearsal.client.control('list-life-cycles');
    const moves = items.find(({ type }) => type === object)?.moves ?? [];
    const playable = moves.filter(({ control }) => control === id);
    expect([...new Set(playable.map(({ verb }) => verb))].toSorted()).toEqual([...verbs].toSorted());
    expect(path).toMatch(/\/\{(verb|scan)\}$/);
  });

  test('names no operation at a verb that only the estate itself plays', async () => {
    await using rehearsal = await newRehearsal();
    const { items } = await rehearsal.client.control('list-life-cycles');
    const shipment = items.find(({ type }) => type === 'shipment')?.moves ?? [];
    expect(shipment.filter(({ verb }) => verb === 'label').map(({ control }) => control)).toEqual([undefined]);
  });
});
