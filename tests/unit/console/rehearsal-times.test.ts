import { expect, test } from '@jest/globals';
import { useOf } from '../../../ui/rehearsals/rehearsal-times.ts';

test.each([
  ['default', 'never ends; it can only be reset'],
  ['ours', 'kept until it is deleted'],
])('The text about the use of the rehearsal %s without an end is: %s', (name, text) =>
  expect(useOf({ name, lastUsedAt: '2026-03-01T10:00:00.000Z' })).toMatch(new RegExp(`^used .*, ${text}$`)),
);
