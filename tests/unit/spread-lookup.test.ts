import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { createSpreadLookup } from '../../shared/process/spread-lookup.ts';

const REPLICAS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
/** A resolver that always returns the addresses in the same order, like the system's. */
type Resolved = (error: null, addresses: { address: string; family: number }[]) => void;
const SORTED = REPLICAS.map((address) => ({ address, family: 4 }));
const resolveSorted = (_hostname: string, _options: unknown, resolved: Resolved): void => resolved(null, SORTED);

const firstOf = (lookup: LookupFunction, all: boolean): Promise<unknown> =>
  new Promise((resolve) => {
    lookup('sim', { all }, (_error, address) => resolve(typeof address === 'string' ? address : address[0]?.address));
  });

test.each([true, false])(
  'Connections to a name with several replicas begin with each of them in turn, also when they try them all (%s)',
  async (all) => {
    const lookup = createSpreadLookup(resolveSorted);
    const firsts = [];
    for (let connection = 0; connection < 9; connection++) firsts.push(await firstOf(lookup, all));
    for (const replica of REPLICAS) expect(firsts.filter((first) => first === replica)).toHaveLength(3);
  },
);

test('Connections to a name with several replicas still fail for an unknown name', async () => {
  const error = await new Promise((resolve) => {
    createSpreadLookup()('no-such-name.invalid', {}, (failed) => resolve(failed));
  });
  expect(error).toMatchObject({ syscall: 'getaddrinfo' });
});

test('Connections to a name with several replicas are spread by both clients of the estate: the one between applications, and the one of the gateway', async () => {
  const lookup = createSpreadLookup(resolveSorted);
  const reached: string[] = [];
  const server = createServer((asked, answer) => {
    reached.push(asked.socket.localAddress ?? '');
    answer.end();
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (let connection = 0; connection < 3; connection++) {
    const agent = new Agent({ connect: { lookup } });
    await (await request(`http://sim:${port}/`, { dispatcher: agent })).body.dump();
    await agent.close();
  }
  for (let connection = 0; connection < 3; connection++) {
    await new Promise((resolve) => get({ host: 'sim', port, lookup, agent: false }, (answer) => answer.resume().on('end', resolve)));
  }
  server.close();
  expect(reached.slice(0, 3).toSorted()).toEqual(REPLICAS);
  expect(reached.slice(3).toSorted()).toEqual(REPLICAS);
});
