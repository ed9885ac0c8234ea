import { describe, expect, test } from '@jest/globals';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { newRehearsal } from '../support/estate.ts';
import { walks } from './life-cycle-walks.ts';

/**
 * Every state that a life cycle can reach against every verb that a client has, over HTTP: what the table has happens, and what it has
 * not is 409 and changes nothing. Payments have a test of their own beside the other tests of the Payment Hub.
 */
describe.each(Object.entries(walks))(
  'The life cycle, every state and every verb that a client has: %s',
  (type, { lifeCycle, states, verbs }) => {
    test('is brought into every state that it has', () => {
      expect(Object.keys(states).toSorted()).toEqual(lifeCycle.states.toSorted());
    });

    const cases = Object.entries(states).flatMap(([state, reach]) =>
      Object.entries(verbs).map(([verb, ask]) => ({ state, reach, verb, ask })),
    );
    test.each(cases)('$state × $verb', async ({ state, reach, verb, ask }) => {
      await using rehearsal = await newRehearsal();
      const subject = await reach(rehearsal);
      const { id } = subject;
      const before = await rehearsal.object(type, id);
      expect(before.state).toBe(state);
      const told = async () => (await rehearsal.events({ subject: `${type}/${id}`, ext: true })).length;
      const toldBefore = await told();

      const { status, body } = await ask(rehearsal, subject);

      const after = await rehearsal.object(type, id);
      const row = lifeCycle.rows.find((candidate) => candidate.verb === verb && candidate.from.includes(state));
      if (!row) {
        // A hold that ran out has a refusal of its own, which says what it held.
        const code = verb === 'confirm' && state === 'expired' ? 'reservation_expired' : 'invalid_state_transition';
        expect([status, body.code]).toEqual([409, code]);
        expect(body).toMatchObject({ objectType: type, id, retryable: false });
        if (code === 'invalid_state_transition')
          expect(body).toMatchObject({ currentState: state, action: verb, allowedFrom: allowedFrom(lifeCycle, verb) });
      } else {
        expect(status).toBeLessThan(300);
        expect(row.to.length > 0 ? row.to : [state]).toContain(after.state);
      }
      if (!row || row.again) {
        expect(after).toEqual(before);
        expect(await told()).toBe(toldBefore);
      } else {
        expect(after.version).toBeGreaterThan(before.version);
        expect(await told()).toBeGreaterThan(toldBefore);
      }
      await rehearsal.verify();
    });
  },
);
