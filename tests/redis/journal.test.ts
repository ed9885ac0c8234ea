import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { aHop } from '../ports/a-hop.ts';
import { eventually } from '../support/eventually.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

/** Longer than any test. */
const FOREVER_MS = 3_600_000;

describeWithRedis('The journal of several processes in Redis', (redis) => {
  /** A process that gathers hops until somebody waits for their world, and a process that reads. */
  async function aWriterAndAReader() {
    const prefix = `${randomUUID()}:`;
    const writer = await redis.store({ prefix, gatherMs: FOREVER_MS });
    const reader = await redis.store({ prefix });
    const world = await writer.worlds.open('r', EMPTY, CREDENTIALS);
    return { writer, reader, world, newest: async () => (await reader.worlds.journalOf(world)).newest };
  }

  test('A process writes the hops that it gathers when another process reads a world with expected hops', async () => {
    const { writer, reader, world, newest } = await aWriterAndAReader();
    writer.control.journal(world, aHop());
    expect(await newest()).toBe(0);
    await eventually('the hop', async () => {
      reader.control.expectHops(world);
      return (await newest()) === 1;
    });
  });

  test('A process gathers the hops of a world only for a moment while somebody waits for the world', async () => {
    const { writer, reader, world, newest } = await aWriterAndAReader();
    const heard: string[] = [];
    writer.worlds.watchSettling((one) => heard.push(one));
    // Messages arrive in their order, so the last one shows that none is under way.
    for (const awaited of [world, 'last~1'] as const) {
      await eventually('an announcement', async () => {
        await reader.worlds.announceSettling(awaited);
        return heard.includes(awaited);
      });
    }
    writer.control.journal(world, aHop());
    await eventually('the hop', async () => (await newest()) === 1);
  });
});
