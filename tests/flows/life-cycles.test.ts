import { describe, expect, test } from '@jest/globals';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { DRY, disagreement } from '../support/dry-run.ts';
import { someOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { expectKept } from '../support/kept-list.ts';
import type { PlainReply } from '../support/plain-client.ts';
import { typesOf } from '../support/steps/events.ts';
import { withSteps } from '../support/steps/rehearsal-at.ts';
import { walks } from './life-cycle-walks.ts';

/** The same rehearsal. Its calls are dry runs, and commands of the outside world are not sent. */
function dryly(rehearsal: TestRehearsal): TestRehearsal {
  const call = async (to: ApiId, input: unknown): Promise<PlainReply | undefined> =>
    typeof input === 'string' ? undefined : rehearsal.call(to, { ...(input as object), query: DRY });
  return withSteps({ ...rehearsal, call: call as TestRehearsal['call'] });
}

describe.each(Object.entries(walks))('Life cycle of %s', (type, { lifeCycle, states, verbs }) => {
  test(`The walks of ${type} reach every state`, () => {
    expectKept(`tests/flows/life-cycle-walks.ts, the states of ${type}`, Object.keys(states), lifeCycle.states);
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
      const events = async () => typesOf(await rehearsal.events({ subject: `${type}/${id}`, ext: true }));
      const { length } = await events();

      const dry: PlainReply | undefined = await ask(dryly(rehearsal), subject);
      const reply = await ask(rehearsal, subject);
      const { status, body } = reply;

      expect(dry && disagreement(dry, reply)).toBeUndefined();
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
        expect(await events()).toHaveLength(length);
      } else {
        expect(after.version).toBeGreaterThan(before.version);
        const published = row.events.length > 0 ? row.events : [`ext.${type}-changed`];
        expect((await events()).slice(length)).toEqual(expect.arrayContaining([...published]));
      }
      await rehearsal.verify();
    },
  );
});
