import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ApiRefusal, DEMO_CREDENTIALS, type EstateRehearsal, HardenFailed, harden } from '../../rehearsal/public.ts';
import { estate } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { eventually } from '../support/eventually.ts';

const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };
const MINUTES = 240_000;

/** Gives a member points, and tries up to three times. @param keyOf the Idempotency-Key of a try */
async function givePoints(rehearsal: EstateRehearsal, keyOf: (first: string) => string): Promise<number> {
  const first = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const headers = { 'idempotency-key': keyOf(first) };
    const call = { params: { id: 'loy_ada' }, body: { points: 100, reason: 'welcome' }, headers } as const;
    // A broken connection is an error, not a reply.
    const reply = await rehearsal.call('issue-loyalty-points-api', call).catch(() => undefined);
    if (reply?.ok) return 100;
    if (attempt === 3) throw new Error(`No points: ${reply?.status}`);
  }
}

const withNewKeys = (rehearsal: EstateRehearsal) => givePoints(rehearsal, () => randomUUID());
const withOneKey = (rehearsal: EstateRehearsal) => givePoints(rehearsal, (first) => first);

const failureOf = async (run: Promise<unknown>): Promise<HardenFailed> => {
  const error = await run.catch((reason: unknown) => reason);
  if (error instanceof HardenFailed) return error;
  throw new Error(`harden did not fail with HardenFailed: ${String(error)}`);
};

describe('harden in a test', () => {
  test(
    'harden fails with the text of the terminal when a lost answer makes a story act twice, and passes when the key stays',
    async () => {
      const families = ['lost-answers'] as const;
      const { message, run } = await failureOf(harden(access, withNewKeys, { families }));
      expect(run?.findings.map(({ verdict, cells }) => [verdict, cells])).toEqual([['twice', ['C1', 'C2', 'C3']]]);
      expect(message).toMatch(
        /^withNewKeys\n\n +Answer\n +lost\nIssue Loyalty Points ✗✗✗ twice\n\nF1 {2}twice {2}Issue Loyalty Points, answer lost\n/,
      );
      expect(message).toContain('Issue Loyalty Points was carried out, and its answer was lost.');
      expect(message).toContain(`\n    Again: harden(estate, story, { again: 'C1', families: ['lost-answers'] })\n`);
      expect(message).toMatch(/\n1 finding\. 3 of 3 misfortunes tried in .*\.$/);

      const again = await failureOf(harden(access, withNewKeys, { families, again: 'C2' }));
      expect(again.run?.cells.map(({ id, verdict }) => [id, verdict])).toEqual([['C2', 'twice']]);
      expect(await harden(access, withNewKeys, { families, accepted: run })).toMatchObject({ findings: [{ accepted: true }] });

      const sound = await harden(access, withOneKey, { families, name: 'welcome points' });
      expect(sound).toMatchObject({ command: 'welcome points', findings: [], notJudged: [] });
      expect(sound.cells.map(({ verdict }) => verdict)).toEqual(['survived', 'survived', 'survived']);
    },
    MINUTES,
  );

  test(
    'harden passes when tries of one cell have different outcomes, and the run names the outcome as unstable',
    async () => {
      let stories = 0;
      // The first story with a lost answer comes after the two without misfortune.
      const story = (rehearsal: EstateRehearsal) => (stories++ === 2 ? withNewKeys(rehearsal) : withOneKey(rehearsal));
      const { findings, cells } = await harden(access, story, { families: ['lost-answers'], name: 'sometimes twice' });
      expect(findings.map(({ verdict, paragraph }) => [verdict, paragraph])).toEqual([
        [
          'unstable',
          expect.stringMatching(
            /^One try ended with twice, another one with survived\. In the first one: Issue Loyalty Points was carried out/,
          ),
        ],
      ]);
      expect(cells[0]?.reason).toBe('One try ended with twice, another one with survived.');
    },
    MINUTES,
  );

  test(
    'harden finds what two misfortunes do that a story survives alone, and repeats the pair by its id',
    async () => {
      /** Repeats one call at most, with its key. */
      const story = async (rehearsal: EstateRehearsal): Promise<void> => {
        let repeats = 1;
        const sent = async (send: (headers: { 'idempotency-key': string }) => Promise<unknown>): Promise<void> => {
          const headers = { 'idempotency-key': randomUUID() };
          for (;;)
            try {
              return void (await send(headers));
            } catch (error) {
              if (repeats-- === 0) throw error;
            }
        };
        const body = { points: 100, reason: 'welcome' };
        await sent((headers) => rehearsal.api('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body, headers }));
        await sent((headers) => rehearsal.api('create-basket-api', { body: { channel: 'web' }, headers }));
      };
      const choices = { families: ['lost-answers'], pairs: true, budgetMs: 200_000 } as const;
      const { run } = await failureOf(harden(access, story, choices));
      expect(run?.findings.map(({ verdict }) => verdict)).toEqual(['half']);
      const [again = ''] = run?.findings[0]?.cells ?? [];
      expect(again).toMatch(/^C\d+\+C\d+$/);
      expect(run?.findings[0]?.repeat).toContain(`again: '${again}'`);
      expect((await failureOf(harden(access, story, { ...choices, again }))).run?.cells.map(({ id }) => id)).toEqual([again]);
    },
    MINUTES,
  );

  test(
    'harden compares what the story returns and what the check reads, and resets the system before each story',
    async () => {
      let shown: number | undefined;
      const story = async (rehearsal: EstateRehearsal): Promise<void> => {
        const reply = await rehearsal.call('check-availability-api', { params: { sku: 'mug-blue' } });
        shown = reply.ok ? 1 : 0;
      };
      const reset: string[] = [];
      const before = ({ name }: EstateRehearsal) => {
        shown = undefined;
        reset.push(name);
      };
      const { message, run } = await failureOf(harden(access, story, { families: ['absent'], check: () => ({ shown }), before }));
      expect(run?.findings.map(({ verdict }) => verdict)).toEqual(['wrong']);
      expect(message).toContain('check: shown');
      expect(message).toContain('Your system was reset before each try.');
      expect(new Set(reset).size).toBe(reset.length);
      expect(reset.length).toBeGreaterThan(run?.cells.length ?? 0);
    },
    MINUTES,
  );

  test(
    'harden reports what a client leaves behind after a final refusal, and does not demand a repeat of it',
    async () => {
      /** Repeats what is retryable, with its key. */
      const story = async (rehearsal: EstateRehearsal): Promise<void> => {
        for (const reason of ['welcome', 'birthday']) {
          const headers = { 'idempotency-key': randomUUID() };
          for (;;) {
            const body = { points: 100, reason };
            const reply = await rehearsal.call('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body, headers });
            if (reply.ok) break;
            if (!reply.body['retryable']) throw new Error(`No points: ${reply.body.code}`);
          }
        }
      };
      const { run } = await failureOf(harden(access, story, { families: ['absent'], again: 'C5' }));
      expect(run?.cells).toMatchObject([{ site: 'issue-loyalty-points-api#2', misfortune: 'status-500', verdict: 'half' }]);
      expect(run?.findings).toMatchObject([
        {
          paragraph: expect.stringContaining('This refusal is final (retryable: false), and your client did not send the call again.'),
          remedy: expect.stringContaining('After a final refusal, such as 500, cancel what the story has begun'),
        },
      ]);
    },
    MINUTES,
  );

  test(
    'harden plans for all deliveries of a webhook, also for more than one answer of the estate lists',
    async () => {
      await using receiver = await receiveEvents();
      const story = async (rehearsal: EstateRehearsal): Promise<void> => {
        await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url: receiver.url, types: ['basket-created'] } });
        const lines = [{ sku: 'mug-blue', qty: 1 }];
        for (let baskets = 0; baskets < 201; baskets++) await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
        await rehearsal.control('settle');
      };
      const { baseline } = await harden(access, story, { families: ['calendar'], again: 'C1' });
      expect(baseline.deliveries).toBe(201);
    },
    MINUTES,
  );

  test(
    'harden names the deliveries that a story without a webhook does not have',
    async () => {
      const { notJudged } = await harden(access, withOneKey, { families: ['delivery', 'calendar'], again: 'C1' });
      expect(notJudged).toContain(
        'No webhook got an event, so none was repeated, delayed or forged. What a consumer of Kafka gets is not struck.',
      );
    },
    MINUTES,
  );

  test(
    'harden waits for an advance of the clock that a story has left behind',
    async () => {
      // Events have the same id in each story.
      let attempts = 0;
      await using receiver = await receiveEvents(() => (++attempts === 1 ? { status: 503 } : { status: 204, afterMs: 2_000 }));
      const story = async (rehearsal: EstateRehearsal): Promise<void> => {
        attempts = 0;
        await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url: receiver.url, types: ['basket-created'] } });
        await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
        await eventually('the first attempt at the delivery', async () => attempts === 1);
        await rehearsal.control('settle');
        void rehearsal.control('advance-clock', { body: { by: 'P1D' } }).catch(() => undefined);
        await eventually('the second attempt at the delivery', async () => attempts === 2);
      };
      const { baseline, cells } = await harden(access, story, { families: ['calendar'], again: 'C1' });
      expect([baseline.deliveries, cells.map(({ verdict }) => verdict)]).toEqual([1, ['survived']]);
    },
    MINUTES,
  );

  test('harden names the error of a story that fails without any misfortune', async () => {
    const { message, run, cause } = await failureOf(
      harden(access, (rehearsal) => rehearsal.api('get-order-api', { params: { id: 'ord_00000000000000000000000000' } })),
    );
    expect(run).toBeUndefined();
    expect(message).toMatch(/^Nothing was tried\. The command failed with exit code 1 without any misfortune\. .*\nget-order-api: 404 /s);
    expect(cause).toBeInstanceOf(ApiRefusal);
  });

  test.each<[what: string, choices: object, message: string]>([
    ['a snapshot that does not exist', { from: 'nothing' }, 'The snapshot "nothing" does not exist.'],
    ['a start that is not an instant', { startsAt: 'yesterday' }, '/startsAt: This is not an instant'],
    ['a check that returns nothing', { check: () => undefined }, 'The check cannot be used. The check printed nothing.'],
    ['a cell that the plan does not have', { again: 'C999' }, 'The plan has no cell C999 any more. Leave out again:'],
    ['a check with a random value', { check: () => randomUUID() }, 'Two runs without any misfortune differ.'],
  ])('harden tries nothing with %s', async (_what, choices, message) => {
    const failure = await failureOf(harden(access, withOneKey, choices));
    expect(failure.message).toMatch(/^Nothing was tried\. /);
    expect(failure.message).toContain(message);
  });

  test('harden tries nothing with a story that makes no call', async () =>
    expect((await failureOf(harden(access, () => 'nothing'))).message).toContain(
      'Let it call the estate through the rehearsal that it gets, or with the credentials of that rehearsal.',
    ));

  test.each<[what: string, choices: object, message: string]>([
    ['an unknown family', { families: ['lost'] }, 'families: there is no lost; choose from absent, '],
    ['no parallel story', { parallel: 0 }, 'parallel: give a number from 1 to 64, not 0.'],
    ['an accepted run of another shape', { accepted: { findings: [] } }, 'accepted: give the run of an earlier harden. version: '],
    [
      'pairs without a limit',
      { pairs: true },
      'pairs: there may be two thousand pairs. Limit their wall time with budgetMs, such as 600_000.',
    ],
    ['no budget', { budgetMs: 0 }, 'budgetMs: give milliseconds above zero, not 0.'],
  ])('harden refuses %s', (_what, choices, message) => expect(harden(access, withOneKey, choices)).rejects.toThrow(message));
});
