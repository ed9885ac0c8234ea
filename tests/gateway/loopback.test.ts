import { networkInterfaces } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { listen as listenAsTouchpoint } from '../../services/touchpoint-mock/http-listening.ts';
import { createFairServer, listen, watchConnections } from '../../shared/process/fair-server.ts';
import { estate } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { skipTests } from '../support/skipped.ts';

const at6 = (url: string) => url.replace('127.0.0.1', '[::1]');
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

const WHAT = 'The estate at [::1]';
if (hasIpv6) describe(WHAT, atIpv6);
else skipTests(WHAT, 'this machine has no [::1]', 'IPv6 on the loopback');

function atIpv6(): void {
  test.each<[string, string, string]>([
    ['gateway', estate.gateway, '/openapi.json'],
    ['touchpoint mock', estate.touchpoint, '/openapi.json'],
    ['portal', estate.portal, '/portal.json'],
  ])('The %s answers at [::1] as at 127.0.0.1, under its own names only', async (_what, url, path) => {
    const [there, here] = await Promise.all([at6(url), url].map((address) => fetch(`${address}${path}`)));
    // A document names the address under which it was asked for.
    expect([there?.status, (await there?.text())?.replaceAll(at6(url), url)]).toEqual([200, await here?.text()]);
  });

  test('A server whose port is taken at [::1] by another program serves 127.0.0.1', async () => {
    const answering = (text: string) => createFairServer({}, (_request, response) => void response.end(text));
    const [other, own] = [answering('other'), answering('own')];
    const first = await listen(other, 0, '::1');
    const { port } = new URL(first);
    const url = await listen(own, Number(port), '127.0.0.1');
    expect([await (await fetch(first)).text(), await (await fetch(url)).text()]).toEqual(['other', 'own']);
    for (const server of [other, own]) server.close();
  });

  test.each(['the gateway', 'the touchpoint'])(
    'A stop of %s finishes a request that came at [::1], and accepts no other',
    async (which) => {
      const state = { arrived: 0, finish: () => {} };
      const server = createFairServer({}, (_request, response) => {
        state.arrived += 1;
        state.finish = () => void response.end('done');
      });
      const started = await startAs(which, server);
      const running = fetch(at6(started.url), { headers: { connection: 'close' } });
      await eventually('the request', async () => state.arrived === 1);
      const closed = started.close();
      state.finish();
      expect(await (await running).text()).toBe('done');
      await closed;
      await expect(fetch(at6(started.url))).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    },
  );
}

async function startAs(which: string, server: ReturnType<typeof createFairServer>) {
  if (which === 'the touchpoint') return listenAsTouchpoint({ server, host: '127.0.0.1', port: 0, drain: () => {} });
  const connections = watchConnections(server);
  return { url: await listen(server, 0, '127.0.0.1'), close: connections.close };
}
