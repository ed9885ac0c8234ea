import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isNamed, partsOf, partsOfCustomer } from '../../services/crm/name-parts.ts';

test('The search parts of a customer include every part of the customer’s names, without regard to case', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'B', 'é', 'İ', '👩', ' ', '.'), maxLength: 6 });
  fc.assert(
    fc.property(name, name, name, (firstName, lastName, q) => {
      const customer = { firstName, lastName };
      if (isNamed(customer, q)) expect(partsOfCustomer(customer)).toEqual(expect.arrayContaining([...partsOf(q)]));
    }),
    { numRuns: 1_000 },
  );
});

test('The search parts of a customer are three characters long, and a shorter text has none', () => {
  expect(partsOf('Clara')).toEqual(['cla', 'lar', 'ara']);
  expect(partsOf('Cl')).toEqual([]);
});
