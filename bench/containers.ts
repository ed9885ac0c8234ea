import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../shared/transport/estate-headers.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild, startEstate } from './child-process.ts';
import { type ComposeEstate, type ContainerUsage, currentEdition, docker, startCompose, whyNoCompose } from './compose-estate.ts';
import { idleKafkaRequests, messagesPerOrder } from './estate-messages.ts';
import { cannon } from './load.ts';
import { inNewRehearsal, latencyOf, measureOrders, type OrderLoad, type OrderRound, openRehearsal, placeOrders } from './order-journey.ts';
import { compare, inTurn, median, type Rounds } from './rounds.ts';

/** Clients of the rounds that count processor time. */
const FEW = 4;
const CLIENTS = 20;
/** Orders after which V8 has compiled the code of an order. */
const WARM_UP_ORDERS = 300;
/** Orders of a count, and of a round that counts processor time. */
const COUNTED_ORDERS = 60;
const MEMORY_ORDERS = 500;
const IDLE_SECONDS = 10;
const SETTLE_MS = 60_000;
const HOT: readonly string[] = ['mug-blue'];
const MANY: readonly string[] = [
  ...['mug-blue', 'mug-green', 'espresso-cup', 'bowl-large', 'plate-dinner'],
  ...['teapot-stone', 'bulb-warm', 'cushion-grey', 'blanket-wool', 'scarf-lambswool'],
];
/** Longer than any run. */
const DEADLINE_MS = 3_600_000;
const MEBIBYTE = 1_048_576;
const MEGABYTE = 1_000_000;
const INFRASTRUCTURE: ReadonlySet<string> = new Set(['kafka', 'redis']);

export const containers: Benchmark = {
  name: 'containers',
  title: 'The estate as containers with Redis and Kafka',
  onlyByName: true,
  run: async (settings) => {
    const why = await whyNoCompose();
    if (why !== undefined) {
      settings.progress(`containers are left out: ${why}`);
      return [];
    }
    settings.progress('containers: docker compose up --wait');
    await using estate = await startCompose(await currentEdition(), { countsMessages: true });
    await using embedded = await startEstate({ profiles: settings.profiles });
    const atRest = await estate.usage();
    settings.progress(`containers: ${WARM_UP_ORDERS} orders`);
    for (const gateway of [estate.gateway, embedded.address('gateway')]) await placeSettled(gateway, CLIENTS, WARM_UP_ORDERS);
    return [
      ...(await idle(settings, estate)),
      ...(await cpuPerOrder(settings, { estate, embedded })),
      ...(await oneClient(settings, { estate, embedded })),
      ...(await manyClients(settings, { estate, embedded })),
      ...(await messages(settings, estate)),
      ...(await memory(settings, estate, atRest)),
      ...(await hotAgainstMany(settings, estate)),
      ...(await gatewayAgainstBareProxy(settings, estate)),
      await imageSize(estate.image),
      await startOfOne(settings, estate),
    ];
  },
};

interface Contestants {
  readonly estate: ComposeEstate;
  /** One process with its state in memory. */
  readonly embedded: Child;
}

type Usages = ReadonlyMap<string, ContainerUsage>;

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, number) => sum + number, 0);

/** CPU time of each container between two readings. */
export const cpuBetween = (before: Usages, after: Usages): ReadonlyMap<string, number> =>
  new Map([...after].map(([service, { cpuMs }]) => [service, cpuMs - (before.get(service)?.cpuMs ?? 0)]));

/** Places orders in a new rehearsal, and waits until their events are consumed. */
const placeSettled = (gateway: string, clients: number, orders: number): Promise<void> =>
  inNewRehearsal(gateway, async ({ client, bearer }) => {
    await placeOrders({ url: gateway, bearer, clients, for: { orders } });
    await client.control('settle', { body: { timeoutMs: SETTLE_MS } });
  });

async function idle({ progress }: Settings, estate: ComposeEstate): Promise<readonly Figure[]> {
  progress(`containers: ${IDLE_SECONDS} idle seconds`);
  let used = Number.NaN;
  const requests = await idleKafkaRequests(estate, IDLE_SECONDS, async () => {
    const before = await estate.usage();
    const began = performance.now();
    await sleep(IDLE_SECONDS * 1_000);
    const after = await estate.usage();
    used = sumOf(cpuBetween(before, after).values()) / (performance.now() - began);
  });
  return [{ what: 'idle CPU of all containers', unit: 'cores', figure: used, aim: { of: 'figure', atMost: 0.17 } }, ...requests];
}

/** CPU time includes the background work of the containers during the orders. */
async function cpuPerOrder(settings: Settings, { estate, embedded }: Contestants): Promise<readonly Figure[]> {
  const load = { clients: FEW, for: { orders: COUNTED_ORDERS } };
  const url = embedded.address('gateway');
  const taken = await inTurn(settings, 'containers, CPU', {
    ours: () =>
      inNewRehearsal(estate.gateway, async ({ bearer }) => {
        const before = await estate.usage();
        await placeOrders({ url: estate.gateway, bearer, ...load });
        return cpuBetween(before, await estate.usage());
      }),
    reference: () =>
      inNewRehearsal(url, async ({ bearer }) => {
        const { cpuMs } = await measureOrders(embedded, { url, bearer, ...load });
        return new Map([['one process', cpuMs * COUNTED_ORDERS]]);
      }),
  });
  const all = compare(taken, (used) => sumOf(used.values()) / COUNTED_ORDERS);
  const services = [...(taken.ours[0]?.keys() ?? [])];
  const each = services.map((service) => ({
    what: `CPU per order, ${service}`,
    unit: 'ms',
    figure: median(taken.ours.map((used) => (used.get(service) ?? Number.NaN) / COUNTED_ORDERS)),
  }));
  return [
    { what: `CPU per order, all containers, ${FEW} clients`, unit: 'ms', ...all, aim: { of: 'figure', atMost: 65 } },
    { what: `CPU per order, one process, ${FEW} clients`, unit: 'ms', figure: all.reference, aim: { of: 'figure', atMost: 8 } },
    ...each.sort((one, other) => other.figure - one.figure),
  ];
}

const round = (gateway: string, load: Pick<OrderLoad, 'clients' | 'skus' | 'for'>): Promise<OrderRound> =>
  inNewRehearsal(gateway, ({ bearer }) => placeOrders({ url: gateway, bearer, ...load }));

/** The same orders in containers and in one process. */
function contest(settings: Settings, { estate, embedded }: Contestants, clients: number): Promise<Rounds<OrderRound>> {
  const load = { clients, skus: HOT, for: { seconds: settings.seconds } };
  return inTurn(settings, `containers against one process, ${clients === 1 ? '1 client' : `${clients} clients`}`, {
    ours: () => round(estate.gateway, load),
    reference: () => round(embedded.address('gateway'), load),
  });
}

async function oneClient(settings: Settings, contestants: Contestants): Promise<readonly Figure[]> {
  const taken = await contest(settings, contestants, 1);
  const p50 = { figure: latencyOf(taken.ours, 0.5), reference: latencyOf(taken.reference, 0.5) };
  return [{ what: 'time of an order, 1 client, p50', unit: 'ms', ...p50, aim: { of: 'figure', atMost: 50 } }];
}

async function manyClients(settings: Settings, contestants: Contestants): Promise<readonly Figure[]> {
  const taken = await contest(settings, contestants, CLIENTS);
  const perSecond = compare(taken, (one) => one.perSecond);
  return [
    { what: `orders, ${CLIENTS} clients`, unit: '/s', figure: perSecond.figure, aim: { of: 'figure', atLeast: 25 } },
    { what: `orders, ${CLIENTS} clients, against one process`, unit: '/s', ...perSecond, aim: { of: 'ratio', atLeast: 0.25 } },
    {
      what: `time of an order, ${CLIENTS} clients, p50`,
      unit: 'ms',
      figure: latencyOf(taken.ours, 0.5),
      reference: latencyOf(taken.reference, 0.5),
    },
  ];
}

async function messages({ progress }: Settings, estate: ComposeEstate): Promise<readonly Figure[]> {
  progress(`containers, messages of ${COUNTED_ORDERS} orders`);
  return await inNewRehearsal(estate.gateway, ({ client, bearer }) =>
    messagesPerOrder(estate, COUNTED_ORDERS, async () => {
      await placeOrders({ url: estate.gateway, bearer, clients: FEW, for: { orders: COUNTED_ORDERS } });
      await client.control('settle', { body: { timeoutMs: SETTLE_MS } });
    }),
  );
}

async function hotAgainstMany(settings: Settings, { gateway }: ComposeEstate): Promise<readonly Figure[]> {
  const load = { clients: CLIENTS, for: { seconds: settings.seconds } };
  const taken = await inTurn(settings, `containers, one SKU against ${MANY.length}`, {
    ours: () => round(gateway, { ...load, skus: HOT }),
    reference: () => round(gateway, { ...load, skus: MANY }),
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
async function memory({ progress }: Settings, estate: ComposeEstate, atRest: Usages): Promise<readonly Figure[]> {
  progress(`containers, memory, with ${MEMORY_ORDERS} orders`);
  await placeSettled(estate.gateway, CLIENTS, MEMORY_ORDERS);
  const after = await estate.usage();
  const mebibytes = (usages: Usages): readonly number[] => [...usages.values()].map(({ bytes }) => bytes / MEBIBYTE);
  const processes = new Map([...atRest].filter(([service]) => !INFRASTRUCTURE.has(service)));
  const atStart = { what: 'memory of a process after the start, mean', unit: 'MiB', aim: { of: 'figure', atMost: 75 } } as const;
  const what = `after the orders and ${MEMORY_ORDERS} more, and after the start`;
  const figure = (of: string, now: Usages, before: Usages): Figure => ({
    ...{ what: `memory of ${of} ${what}`, unit: 'MiB' },
    ...{ figure: sumOf(mebibytes(now)), reference: sumOf(mebibytes(before)) },
  });
  const only = (usages: Usages, service: string): Usages => new Map([...usages].filter(([name]) => name === service));
  return [
    { ...atStart, figure: sumOf(mebibytes(processes)) / processes.size },
    { ...figure(`all ${after.size} containers`, after, atRest), aim: { of: 'figure', atMost: 1_434 } },
    ...[...after]
      .sort(([, one], [, other]) => other.bytes - one.bytes)
      .map(([service]) => figure(service, only(after, service), only(atRest, service))),
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
