import type { Benchmark, Figure } from './benchmark.ts';
import { type Child, startChild } from './child-process.ts';
import { type Load, type LoadedRound, loadOn } from './load.ts';
import { compare, inTurn } from './rounds.ts';

const CONNECTIONS = 20;
const KEY = 'a-key-for-measuring';
const ANSWER_BYTES = 500;
/** Requests after which V8 has compiled the code of a request. */
const WARM_UP_ROUNDS = 3;

const headers = {
  authorization: `Bearer ${KEY}`,
  'x-correlation-id': 'measured-0123456789',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
const requests: readonly { readonly what: string; readonly path: string; readonly load: Omit<Load, 'url' | 'connections' | 'seconds'> }[] =
  [
    { what: 'GET', path: '/orders/ord_01JQZ7W5E8N0V4R2T6Y8B3C9DM', load: { method: 'GET', headers } },
    {
      what: 'POST',
      path: '/baskets',
      load: {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] }),
      },
    },
  ];

/** The gateway, which authenticates, counts and traces, against its bare proxy library. Both forward to the same trivial server. */
export const gateway: Benchmark = {
  name: 'gateway',
  title: 'Gateway against bare http-proxy-middleware, in front of the same server',
  run: async (settings) => {
    const { profiles } = settings;
    await using upstream = await startChild('bench/servers/bare-http.ts', { args: [String(ANSWER_BYTES)] });
    await using ours = await startChild('bench/servers/gateway-alone.ts', { args: [upstream.address('url'), KEY], profiles });
    await using bare = await startChild('bench/servers/bare-proxy.ts', { args: [upstream.address('url')], profiles });
    const figures: Figure[] = [];
    for (const { what, path, load } of requests) {
      const round = (server: Child, seconds: number): Promise<LoadedRound> =>
        loadOn(server, { ...load, url: `${server.address('url')}${path}`, connections: CONNECTIONS, seconds });
      for (let warmUp = 0; warmUp < WARM_UP_ROUNDS; warmUp += 1)
        for (const server of [ours, bare]) await round(server, Math.min(settings.seconds, 2));
      const taken = await inTurn(settings, `gateway ${what}`, {
        ours: () => round(ours, settings.seconds),
        reference: () => round(bare, settings.seconds),
      });
      figures.push(
        { what: `${what} requests`, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond), aim: { of: 'ratio', atLeast: 0.95 } },
        { what: `CPU per ${what}`, unit: 'µs', ...compare(taken, ({ cpuMicros }) => cpuMicros) },
      );
    }
    return figures;
  },
};
