import { describe, expect, test } from '@jest/globals';
import { allowedFrom, refusal, refuseTransition } from '../../shared/catalog/life-cycle.ts';
import { objects } from '../../shared/catalog/objects.ts';

const lifeCycles = objects.flatMap(({ lifeCycle }) => (lifeCycle ? [[lifeCycle.object, lifeCycle] as const] : []));

describe.each(lifeCycles)('A refused verb of a %s', (_object, lifeCycle) => {
  const cases = [...new Set(lifeCycle.rows.map(({ verb }) => verb))].flatMap((verb) =>
    lifeCycle.states.map((state) => ({ verb, state, isAllowed: allowedFrom(lifeCycle, verb).includes(state) })),
  );

  test('gets the general text only in a state that does not allow the verb', () => {
    for (const { verb, state, isAllowed } of cases) {
      const refuse = () => refuseTransition(lifeCycle, { id: 'x', state }, verb);
      if (isAllowed) expect(refuse).toThrow('state the reason');
      else expect(refuse().message).toContain(`is ${state}; ${verb} is possible from`);
    }
  });

  test('lists its own state in allowedFrom only while a later repeat may succeed', () => {
    for (const { verb, state, isAllowed } of cases) {
      const from = (extra: { retryable?: true }) => refusal(lifeCycle, { id: 'x', state }, verb, 'It rains.', extra).context['allowedFrom'];
      expect(from({})).not.toContain(state);
      expect((from({ retryable: true }) as readonly string[]).includes(state)).toBe(isAllowed);
    }
  });
});
