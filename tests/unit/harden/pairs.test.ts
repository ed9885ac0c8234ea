import { expect, test } from '@jest/globals';
import type { PlannedCell } from '../../../rehearsal/harden/cells.ts';
import { findPair, pairsOf } from '../../../rehearsal/harden/pairs.ts';
import type { Family } from '../../../rehearsal/harden/run.ts';
import { START } from '../../../rehearsal/harden/sites.ts';

const cell = (id: string, site: string, family: Family, misfortune: string): PlannedCell => ({
  ...{ id, site, family, misfortune, label: `${misfortune}.`, delayMs: 5 },
  faults: [{ match: { api: site }, fault: { kind: 'outage' } }],
});

const cells = [
  cell('C1', 'a', 'lost-answers', 'lost-504'),
  cell('C2', 'b', 'lost-answers', 'lost-504'),
  cell('C3', 'b', 'absent', 'outage'),
  cell('C4', 'b', 'absent', 'status-500'),
  cell('C5', 'a', 'delivery', 'late'),
  cell('C6', 'a', 'forbidden', 'html-body'),
  cell('C7', 'start', 'calendar', 'sunday'),
];
const sites = new Map([['b', { ...START, label: 'Confirm Order' }]]);

test('Pairs join misfortunes of different sites, one of each family, and leave out families with other expectations', () => {
  const pairs = pairsOf(cells, sites);
  expect(pairs.map(({ id }) => id)).toEqual(['C1+C2', 'C1+C3']);
  expect(pairs[1]).toMatchObject({
    ...{ site: 'a', family: 'lost-answers', misfortune: 'lost-504 + outage at b', delayMs: 10 },
    label: 'lost-504. And Confirm Order: outage.',
    faults: [{ match: { api: 'a' } }, { match: { api: 'b' } }],
  });
});

test('Pairs of a long story are limited', () => {
  const many = Array.from({ length: 200 }, (_, place) => cell(`C${place}`, `s${place}`, 'absent', 'outage'));
  expect(pairsOf(many, sites)).toHaveLength(2_000);
});

test('A pair is found by its id, and by the names of its misfortunes when the ids have changed', () => {
  expect(findPair(cells, sites, ({ id }) => id === 'C1+C4')?.misfortune).toBe('lost-504 + status-500 at b');
  expect(findPair(cells, sites, ({ misfortune }) => misfortune === 'lost-504 + outage at b')?.id).toBe('C1+C3');
  expect(findPair(cells, sites, ({ id }) => id === 'C1+C6')).toBeUndefined();
});
