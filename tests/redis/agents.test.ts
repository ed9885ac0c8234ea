import { expect, test } from '@jest/globals';
import { anAgent, orderedBy, overHttp } from '../support/agent.ts';
import { describeReplicas } from './replicas/running-replicas.ts';

describeReplicas('Coding agents, with two gateways', { processes: 2 }, (estate) => {
  test('An agent continues at one gateway in the world that it opened at another', async () => {
    const [first = '', second = ''] = estate.replicas.map(({ door }) => door.url);
    await using one = await anAgent(overHttp(first));
    await using other = await anAgent(overHttp(second));
    const { world } = (await one.tool('open_world')).facts;
    await orderedBy(other, world);
    expect((await one.tool('verify', { world })).facts).toMatchObject({ holds: true, settled: true });
    expect((await other.tool('close', { world })).isMistake).toBe(false);
    expect((await one.tool('verify', { world })).isMistake).toBe(true);
  });
});
