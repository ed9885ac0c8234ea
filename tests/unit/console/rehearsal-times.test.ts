import { describe, expect, test } from '@jest/globals';
import { useOf } from '../../../ui/rehearsals/rehearsal-times.ts';

const lastUsedAt = '2026-03-01T10:00:00.000Z';

describe('The use of a rehearsal', () => {
  test('The rehearsal default never ends, because it can only be reset', () => {
    expect(useOf({ name: 'default', lastUsedAt })).toMatch(/^used .*, never ends; it can only be reset$/);
  });

  test('A rehearsal without an end is kept until it is deleted', () => {
    expect(useOf({ name: 'ours', lastUsedAt })).toMatch(/, kept until it is deleted$/);
  });
});
