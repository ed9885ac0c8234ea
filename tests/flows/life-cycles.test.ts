import { describe, expect, test } from '@jest/globals';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { someOf } from '../support/effort.ts';
import { newRehearsal } from '../support/estate.ts';
import { walks } from './life-cycle-walks.ts';

/** Payments have a similar test beside the other tests of the Payment Hub. */
describe.each(Object.entries(walks))('Life cycle of %s', (type, { lifeCycle, states, verbs }) => {
  test(`The walks of ${type} reach every state`, () => {
    expect(Object.keys(states).toSorted()).toEqual(lifeCycle.states.toSorted());
  });

  const cases = Object.entries(states).flatMap(([state, reach]) =>
    Object.entries(verbs).map(([verb, ask]) => {
      const row = lifeCycle.rows.find((candidate) => candidate.verb === verb && candidate.from.includes(state));
      return { type, state, reach, verb, ask, row };
    }),
  );
  const refused = cases.filter(({ row }) => !row);
  const accepted = cases.filter(({ row }) => row);
  test.each([...accepted, ...someOf(refused, 0.4)])(
    '$type in state $state follows the life cycle at $verb',
    async ({ state, reach, verb, ask, row }) => {
      await using rehearsal = await newRehearsal({ warehouse: 'manual' });
      const subject = await reach(rehearsal);
      const { id } = subject;
      const before = await rehearsal.object(type, id);
      expect(before.state).toBe(state);
      const countEvents = async () => (await rehearsal.events({ subject: `${type}/${id}`, ext: true })).length;
      const eventsBefore = await countEvents();

      const { status, body } = await ask(rehearsal, subject);

      const after = await rehearsal.object(type, id);
      if (row) {
        expect(status).toBeLessThan(300);
        expect(row.to.length > 0 ? row.to : [state]).toContain(after.state);
      } else {
        const refusal = { code: 'invalid_state_transition', currentState: state, action: verb, allowedFrom: allowedFrom(lifeCycle, verb) };
        // The refusal of an expired reservation names its former lines.
        const isExpired = verb === 'confirm' && state === 'expired';
        const expected = isExpired ? { code: 'reservation_expired' } : refusal;
        expect([status, body]).toMatchObject([409, { ...expected, objectType: type, id, retryable: false }]);
      }
      if (!row || row.again) {
        expect(after).toEqual(before);
        expect(await countEvents()).toBe(eventsBefore);
      } else {
        expect(after.version).toBeGreaterThan(before.version);
        expect(await countEvents()).toBeGreaterThan(eventsBefore);
      }
      await rehearsal.verify();
    },
  );
});
