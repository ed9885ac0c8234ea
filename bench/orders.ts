import type { Benchmark, Figure } from './benchmark.ts';
import { startChild, startEstate } from './child-process.ts';
import { measureOrders, orderFigures, ordersInNewRehearsal, REQUESTS_PER_ORDER } from './order-journey.ts';
import { inTurn } from './rounds.ts';

const CLIENTS = [1, 20] as const;

export const orders: Benchmark = {
  name: 'orders',
  title: `Whole orders of ${REQUESTS_PER_ORDER} requests, against as many requests to a node:http echo`,
  run: async (settings) => {
    const { seconds, profiles } = settings;
    await using estate = await startEstate({ profiles });
    await using echo = await startChild('bench/servers/bare-http.ts');
    const figures: Figure[] = [];
    for (const clients of CLIENTS) {
      const taken = await inTurn(settings, `orders of ${clients} clients`, {
        ours: () => ordersInNewRehearsal(estate, { clients, seconds }),
        reference: () => measureOrders(echo, { url: echo.address('url'), bearer: 'nobody', clients, for: { seconds } }),
        warmUps: 1,
      });
      figures.push(...orderFigures(taken, clients));
    }
    return figures;
  },
};

/** Calls between the applications of one process without a connection, against the same calls over HTTP. */
export const transport: Benchmark = {
  name: 'transport',
  title: 'Whole orders with calls in process, against calls over HTTP',
  run: async (settings) => {
    const { seconds, profiles } = settings;
    await using inProcess = await startEstate({ env: { TRANSPORT: 'process' }, profiles });
    await using overHttp = await startEstate({ env: { TRANSPORT: 'http' }, profiles });
    const figures: Figure[] = [];
    for (const clients of CLIENTS) {
      const taken = await inTurn(settings, `transport, ${clients} clients`, {
        ours: () => ordersInNewRehearsal(inProcess, { clients, seconds }),
        reference: () => ordersInNewRehearsal(overHttp, { clients, seconds }),
        warmUps: 1,
      });
      figures.push(...orderFigures(taken, clients).map(withAim));
    }
    return figures;
  },
};

const withAim = (figure: Figure): Figure => (figure.what.startsWith('CPU') ? { ...figure, aim: { of: 'ratio', atMost: 0.6 } } : figure);
