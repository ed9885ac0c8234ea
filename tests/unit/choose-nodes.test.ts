import { describe, expect, test } from '@jest/globals';
import { chooseNodes } from '../../services/inventory-service/choose-nodes.ts';

/** The nodes that serve units, of nodes with these ATPs; or the units that are short. */
function served(qty: number, atps: readonly number[], split = true): string {
  const nodes = atps.map((atp, index) => ({ locationId: `${index}`, atp }));
  const { held, short } = chooseNodes([{ sku: 'mug', qty }], new Map([['mug', nodes]]), split);
  return short[0] ? `short ${short[0].available}` : held.map((one) => `${one.locationId}:${one.qty}`).join(' ');
}

describe('Nodes that serve a line together', () => {
  test.each([
    ['the first node that has all units', 3, [2, 3, 9], '1:3'],
    ['the earliest pair, though a later one has more', 5, [2, 2, 3, 4], '0:2 2:3'],
    ['a node that comes late, if only it keeps the nodes few', 7, [1, 2, 2, 6], '0:1 3:6'],
    ['the fewest nodes, not the first ones', 9, [1, 1, 1, 5, 4], '3:5 4:4'],
    ['nodes without negative ATP', 4, [-5, 2, 2], '1:2 2:2'],
    ['five nodes at most', 10, [2, 2, 2, 2, 2], '0:2 1:2 2:2 3:2 4:2'],
    ['nothing beyond five nodes', 11, [2, 2, 2, 2, 2, 2], 'short 10'],
    ['nothing beyond all units', 6, [2, 3], 'short 5'],
  ])('are %s', (_what, qty, atps, expected) => {
    expect(served(qty, atps)).toBe(expected);
  });

  test('are one node if the retailer does not split lines', () => {
    expect(served(5, [2, 3], false)).toBe('short 3');
  });
});
