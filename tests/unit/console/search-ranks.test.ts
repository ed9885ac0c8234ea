import { expect, test } from '@jest/globals';
import { ranked } from '../../../ui/shell/search-ranks.ts';

const FOUND = [
  { group: 'Pages', title: 'Reference: Faults' },
  { group: 'Pages', title: 'Faults' },
  { group: 'APIs', title: 'List Faults' },
  { group: 'customer', title: 'Ada Byrne-Lovelace', note: 'cus_adab · active' },
  { group: 'customer', title: 'Countess Ada', note: 'cus_count · active' },
  { group: 'Problems', title: 'Customer blocked until later' },
  { group: 'Lists', title: 'customer: blocked' },
  { group: 'customer', title: 'Ada', note: 'cus_ada · active' },
];
const titlesFor = (text: string, most = 6) => ranked(FOUND, text, most).map(({ title }) => title);

test.each([
  ['faults', ['Faults', 'Reference: Faults', 'List Faults']],
  [' FAULTS ', ['Faults', 'Reference: Faults', 'List Faults']],
  ['ada', ['Ada', 'Ada Byrne-Lovelace', 'Countess Ada']],
  ['customer blocked', ['customer: blocked', 'Customer blocked until later']],
  ['cus_count', ['Countess Ada']],
  ['', ['Reference: Faults', 'Faults', 'List Faults']],
])('The search for %j begins with the exact name or id, then the names that begin with the text', (text, first) =>
  expect(titlesFor(text).slice(0, first.length)).toEqual(first),
);

test('The search cuts a group only after the exact name', () => expect(titlesFor('ada', 1)[0]).toBe('Ada'));
