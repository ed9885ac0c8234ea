import { readFileSync } from 'node:fs';
import type { World } from '../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../shared/transport/estate-headers.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { startChild } from './child-process.ts';
import { type ComposeEstate, currentEdition, docker, startCompose, whyNoCompose } from './compose-estate.ts';
import { startEstate } from './estate-process.ts';
import { cannon } from './load.ts';
import { latencyOf, type OrderRound, placeOrders } from './order-load.ts';
import { inNewRehearsal, openRehearsal } from './rehearsals.ts';
import { compare, inTurn, median } from './rounds.ts';

const CLIENTS = 20;
const HOT: readonly string[] = ['mug-blue'];
const MANY: readonly string[] = [
  ...['mug-blue', 'mug-green', 'espresso-cup', 'bowl-large', 'plate-dinner'],
  ...['teapot-stone', 'bulb-warm', 'cushion-grey', 'blanket-wool', 'scarf-lambswool'],
];
/** Longer than any run. */
const DEADLINE_MS = 3_600_000;
const MEBIBYTE = 1_048_576;
const MEGABYTE = 1_000_000;

export const containers: Benchmark = {
  name: 'containers',
  title: 'The estate as containers with Redis and Kafka',
  run: async (settings) => {
    const why = await whyNoCompose();
    if (why !== undefined) {
      settings.progress(`containers are left out: ${why}`);
      return [];
    }
    settings.progress('containers: docker compose up --wait');
    await using estate = await startCompose(await currentEdition());
    const atRest = await estate.memory();
    return [
      ...(await ordersAgainstEmbedded(settings, estate)),
      ...(await hotAgainstMany(settings, estate)),
      ...(await gatewayAgainstBareProxy(settings, estate)),
      ...memoryFigures(atRest, await estate.memory()),
      await imageSize(estate.image),
      await startOfOne(settings, estate),
    ];
  },
};

const round = (gateway: string, seconds: number, skus: readonly string[]): Promise<OrderRound> =>
  inNewRehearsal(gateway, ({ bearer }) => placeOrders({ url: gateway, bearer, clients: CLIENTS, skus, for: { seconds } }));

async function ordersAgainstEmbedded(settings: Settings, { gateway }: ComposeEstate): Promise<readonly Figure[]> {
  await using embedded = await startEstate();
  const taken = await inTurn(settings, 'containers against one process', {
    ours: () => round(gateway, settings.seconds, HOT),
    reference: () => round(embedded.address('gateway'), settings.seconds, HOT),
    warmUps: 1,
  });
  return [
    { what: `orders, ${CLIENTS} clients, against one process`, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond) },
    { what: 'time of an order, p50', unit: 'ms', figure: latencyOf(taken.ours, 0.5), reference: latencyOf(taken.reference, 0.5) },
  ];
}

async function hotAgainstMany(settings: Settings, { gateway }: ComposeEstate): Promise<readonly Figure[]> {
  const taken = await inTurn(settings, `containers, one SKU against ${MANY.length}`, {
    ours: () => round(gateway, settings.seconds, HOT),
    reference: () => round(gateway, settings.seconds, MANY),
  });
  const what = `orders of one SKU, against orders of ${MANY.length}`;
  return [{ what, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond), aim: { of: 'ratio', atLeast: 0.7 } }];
}

/** Both paths lead to the same container. The direct request carries the headers that the gateway would add. */
async function gatewayAgainstBareProxy(settings: Settings, estate: ComposeEstate): Promise<readonly Figure[]> {
  await using bare = await startChild('bench/servers/bare-proxy.ts', { args: [await estate.addressOf('ecommerce-platform')] });
  await using rehearsal = await openRehearsal(estate.gateway);
  const { items } = await rehearsal.client.control('list-rehearsals');
  const world = items.find(({ name }) => name === rehearsal.name)?.world as World;
  const { bearer } = rehearsal;
  const inside = encodeContext({
    ...{ world, now: Date.now(), principal: 'bench', requestId: 'req_bench', correlationId: 'bench' },
    ...{ deadline: Date.now() + DEADLINE_MS, faults: 0, chain: [] },
  });
  const get = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const { requests, duration } = await cannon({
      url: `${url}/products/mug-blue`,
      connections: CLIENTS,
      duration: settings.seconds,
      headers,
    });
    return requests.total / duration;
  };
  const taken = await inTurn(settings, 'containers, gateway against bare proxy', {
    ours: () => get(estate.gateway, { authorization: `Bearer ${bearer}` }),
    reference: () => get(bare.address('url'), { [CONTEXT_HEADER]: inside, [TOKEN_HEADER]: estate.token }),
    warmUps: 1,
  });
  return [{ what: 'GET of a product through the gateway, against a bare proxy', unit: '/s', ...compare(taken, (perSecond) => perSecond) }];
}

/** Memory of each container after the orders, largest first. The reference is its memory after the start. */
function memoryFigures(afterStart: ReadonlyMap<string, number>, afterOrders: ReadonlyMap<string, number>): readonly Figure[] {
  const sum = (all: ReadonlyMap<string, number>): number => [...all.values()].reduce((total, bytes) => total + bytes, 0);
  const figure = (what: string, bytes: number, before: number): Figure => ({
    ...{ what: `memory of ${what} after the orders, and after the start`, unit: 'MiB' },
    ...{ figure: bytes / MEBIBYTE, reference: before / MEBIBYTE },
  });
  return [
    ...[...afterOrders]
      .sort(([, one], [, other]) => other - one)
      .map(([name, bytes]) => figure(name, bytes, afterStart.get(name) ?? Number.NaN)),
    figure(`all ${afterOrders.size} containers`, sum(afterOrders), sum(afterStart)),
  ];
}

async function imageSize(image: string): Promise<Figure> {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  const base = /^ARG NODE_IMAGE=(.+)$/m.exec(dockerfile)?.[1] ?? '';
  const size = async (name: string): Promise<number> => Number(await docker('image', 'inspect', '--format', '{{.Size}}', name)) / MEGABYTE;
  return { what: `image above ${base}`, unit: 'MB', figure: (await size(image)) - (await size(base)), aim: { of: 'figure', atMost: 60 } };
}

async function startOfOne({ rounds, progress }: Settings, estate: ComposeEstate): Promise<Figure> {
  const took: number[] = [];
  for (let number = 1; number <= rounds; number++) {
    progress(`containers, start of one application, round ${number} of ${rounds}`);
    took.push(await estate.restart('promotion-engine'));
  }
  return { what: 'start of one container to ready', unit: 'ms', figure: median(took), aim: { of: 'figure', atMost: 1_000 } };
}
