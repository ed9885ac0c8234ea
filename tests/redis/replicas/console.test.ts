import { expect, test } from '@jest/globals';
import type { PlainClient } from '../../support/plain-client.ts';
import { rehearsalAt } from '../../support/steps/rehearsal-at.ts';
import { clientOf, describeReplicas } from './running-replicas.ts';

const BASKET = { body: { channel: 'web' as const, lines: [{ sku: 'mug-blue', qty: 1 }] } };
const HOPS_OF_A_BASKET = 3;

describeReplicas('What the console shows through two gateways', { processes: 2 }, (estate) => {
  const clientsOf = (rehearsal?: string) => estate.replicas.map(({ door }) => clientOf(door.url, rehearsal)) as [PlainClient, PlainClient];

  test('The journal has all hops of a call as soon as it is answered', async () => {
    const rehearsal = await rehearsalAt(estate.replicas[0]?.door.url ?? '');
    for (let call = 0; call < 10; call++) {
      const correlationId = `call-${call}`;
      await rehearsal.call('create-basket-api', { ...BASKET, headers: { 'x-correlation-id': correlationId } });
      expect(await rehearsal.journal(correlationId)).toHaveLength(HOPS_OF_A_BASKET);
    }
  });

  test('The journal has all deliveries as soon as a rehearsal has settled', async () => {
    const rehearsal = await rehearsalAt(estate.replicas[0]?.door.url ?? '');
    const found: number[] = [];
    for (let number = 0; number < 5; number++) {
      await rehearsal.confirm((await rehearsal.authorised()).id, { 'x-correlation-id': `confirm-${number}` });
      await rehearsal.settle();
      found.push((await rehearsal.journal(`confirm-${number}`)).length);
    }
    const last = await Promise.all(found.map((_hops, number) => rehearsal.journal(`confirm-${number}`)));
    expect(found).toEqual(last.map(({ length }) => length));
    expect(last.every((hops) => hops.some(({ method }) => method === 'CONSUME'))).toBe(true);
  });

  test('A stream resumes at another gateway without a gap or a repeat', async () => {
    const { name, control } = await rehearsalAt(estate.gateway);
    const clients = clientsOf(name);
    const [hops, orders]: [number[], number[]] = [[], []];
    let after: string | undefined;
    /** Reads frames at a gateway, from the last one on, until `isEnough`. */
    async function read(client: PlainClient, topics: string, isEnough: (event: string) => boolean) {
      for await (const frame of client.stream('read-stream', { ...(after !== undefined && { after }), query: { topics } })) {
        after = frame.id;
        if (frame.event === 'gap') throw new Error(`There is a gap: ${frame.data.reason}.`);
        if (frame.event === 'clock') await Promise.all(clients.map((any) => any.call('create-basket-api', BASKET)));
        if (frame.event === 'hops') hops.push(...frame.data.map((hop) => hop.sequence));
        if (frame.event === 'events') orders.push(...frame.data.map((event) => event.order));
        if (isEnough(frame.event)) break;
      }
    }
    for (let round = 0; round < 6; round++)
      await read(clients[round % 2] as PlainClient, 'clock,hops,events', (event) => event !== 'clock');
    await control('settle');
    const sequences = async () => (await control('read-journal', { query: { limit: 5_000 } })).items.map(({ sequence }) => sequence);
    const { items: published } = await control('list-events', { query: { ext: 'true', limit: 1_000 } });
    const [lastHop, lastEvent] = [Number((await sequences()).at(-1)), Number(published.at(-1)?.order)];
    await read(clients[1], 'hops,events', () => Number(hops.at(-1)) >= lastHop && Number(orders.at(-1)) >= lastEvent);
    expect(hops).toEqual((await sequences()).slice(0, hops.length));
    expect(orders).toEqual(published.map(({ order }) => order));
    await Promise.all(clients.map((client) => client.close()));
  });
});
