import { describe, expect, test } from '@jest/globals';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { someOf } from '../support/effort.ts';
import { newRehearsal } from '../support/estate.ts';
import { walks } from './life-cycle-walks.ts';

/**
 * Every reachable state of a life cycle against every client verb, over HTTP: verbs of the table succeed, and all others are refused
 * with 409 and change nothing. Payments have a test of their own beside the other tests of the Payment Hub.
 */
describe.each(Object.entries(walks))('The life cycle of %s, by state and client verb', (type, { lifeCycle, states, verbs }) => {
  test('has a walk into every state', () => {
    expect(Object.keys(states).toSorted()).toEqual(lifeCycle.states.toSorted());
  });

  const cases = Object.entries(states).flatMap(([state, reach]) =>
    Object.entries(verbs).map(([verb, ask]) => ({ state, reach, verb, ask })),
  );
  const isAllowed = ({ state, verb }: { state: string; verb: string }): boolean =>
    lifeCycle.rows.some((row) => row.verb === verb && row.from.includes(state));
  const refused = cases.filter((one) => !isAllowed(one));
  test.each([...cases.filter(isAllowed), ...someOf(refused, 0.4)])('$state × $verb', async ({ state, reach, verb, ask }) => {
    await using rehearsal = await newRehearsal({ warehouse: 'manual' });
    const subject = await reach(rehearsal);
    const { id } = subject;
    const before = await rehearsal.object(type, id);
    expect(before.state).toBe(state);
    const countEvents = async () => (await rehearsal.events({ subject: `${type}/${id}`, ext: true })).length;
    const eventsBefore = await countEvents();

    const { status, body } = await ask(rehearsal, subject);

    const after = await rehearsal.object(type, id);
    const row = lifeCycle.rows.find((candidate) => candidate.verb === verb && candidate.from.includes(state));
    if (!row) {
      // The refusal of an expired hold names its former lines.
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
      expect(await countEvents()).toBe(eventsBefore);
    } else {
      expect(after.version).toBeGreaterThan(before.version);
      expect(await countEvents()).toBeGreaterThan(eventsBefore);
    }
    await rehearsal.verify();
  });
});
