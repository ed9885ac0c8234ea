import { afterAll, expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../../rehearsal/estate-rehearsal.ts';
import { anObservedEstate } from '../../observability/observed-estate.ts';
import { runEstate } from '../../support/command.ts';
import { FREE_PORTS } from '../started.ts';

const observed = await anObservedEstate();
const { gateway } = observed.running;
afterAll(() => observed[Symbol.asyncDispose]());

async function hopsIn(rehearsal: string): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${DEMO_CREDENTIALS.admin}`, 'x-rehearsal': rehearsal };
  const { items } = (await (await fetch(`${gateway}/_control/journal`, { headers })).json()) as {
    readonly items: readonly unknown[];
  };
  return items;
}

test.each([['doctor'], ['rehearse digital-order']])(
  'The trial of credentials by %s leaves no hop in the rehearsal default',
  async (words) => {
    const { code, err } = await runEstate(words.split(' '), { ...FREE_PORTS, ESTATE_URL: gateway });
    expect([code, err]).toEqual([0, '']);
    expect(await hopsIn('default')).toEqual([]);
  },
);

test('The command doctor accepts the credentials of a rehearsal, and leaves no hop in it', async () => {
  await using rehearsal = await EstateRehearsal.create({ gateway, credentials: DEMO_CREDENTIALS });
  const { bearer, apiKey } = rehearsal.credentials;
  const own = { ESTATE_URL: gateway, ESTATE_REHEARSAL: rehearsal.name, ESTATE_BEARER_TOKEN: bearer, ESTATE_API_KEY: apiKey };
  const { code, out } = await runEstate(['doctor'], { ...FREE_PORTS, ...own });
  expect(out).toMatch(/^ok {7}Credentials +accepted$/m);
  expect(code).toBe(0);
  expect(await hopsIn(rehearsal.name)).toEqual([]);
  const ended = await runEstate(['doctor'], { ...FREE_PORTS, ...own, ESTATE_BEARER_TOKEN: `${bearer}x` });
  expect([ended.code, ended.out]).toEqual([1, expect.stringContaining('refuses this credential for the APIs')]);
});
