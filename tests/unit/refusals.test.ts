import { expect, test } from '@jest/globals';
import { allowedFrom, refusal, refuseTransition } from '../../shared/catalog/life-cycle.ts';
import { objects } from '../../shared/catalog/objects.ts';

const lifeCycles = objects.flatMap(({ lifeCycle }) => lifeCycle ?? []);
type LifeCycle = (typeof lifeCycles)[number];

const verbsOf = ({ rows }: LifeCycle) => [...new Set(rows.map(({ verb }) => verb))];
const cases = lifeCycles.flatMap((lifeCycle) =>
  verbsOf(lifeCycle).flatMap((verb) =>
    lifeCycle.states.map((state) => ({ lifeCycle, verb, state, isAllowed: allowedFrom(lifeCycle, verb).includes(state) })),
  ),
);

test('A refused verb has the general text only in a state that does not allow it', () => {
  for (const { lifeCycle, verb, state, isAllowed } of cases) {
    const refuse = () => refuseTransition(lifeCycle, { id: 'x', state }, verb);
    if (isAllowed) expect(refuse).toThrow('state the reason');
    else expect(refuse().message).toContain(`is ${state}; ${verb} is possible from`);
  }
});

test('A refused verb lists the state of the object in allowedFrom only while a later repeat may succeed', () => {
  for (const { lifeCycle, verb, state, isAllowed } of cases) {
    const from = (extra: { retryable?: true }) => refusal(lifeCycle, { id: 'x', state }, verb, 'It rains.', extra).context['allowedFrom'];
    expect(from({})).not.toContain(state);
    expect((from({ retryable: true }) as readonly string[]).includes(state)).toBe(isAllowed);
  }
});
