import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { World } from '../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../shared/transport/estate-headers.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { freePort, startChild, startEstate } from './child-process.ts';
import { cannon } from './load.ts';
import { inNewRehearsal, latencyOf, type OrderRound, openRehearsal, placeOrders } from './order-journey.ts';
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

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const OUTPUT_BYTES = 64 * 1_048_576;
const NANOSECONDS_PER_MS = 1_000_000;

/** The estate of the compose file, with its own project name, ports and token. */
export interface ComposeEstate extends AsyncDisposable {
  readonly gateway: string;
  readonly image: string;
  /** Authenticates calls to an application that bypass the gateway. */
  readonly token: string;
  /** Address of an application's first container, which is reachable from this machine on Linux. */
  addressOf(application: string): Promise<string>;
  /** Bytes of memory of each container, by service. */
  memory(): Promise<ReadonlyMap<string, number>>;
  /** Total CPU time in milliseconds of all containers with the image of the estate. */
  cpuMs(): Promise<number>;
  /** Restarts an application. @returns wall time from the start of its container until it was ready */
  restart(application: string): Promise<number>;
}

const run = async (command: string, args: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<string> =>
  (await promisify(execFile)(command, [...args], { cwd: PROJECT, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES })).stdout.trim();

const docker = (...args: readonly string[]): Promise<string> => run('docker', args);

/** Reason why containers are unavailable; undefined when they are available. */
export const whyNoCompose = (): Promise<string | undefined> =>
  docker('compose', 'version').then(
    () =>
      docker('info').then(
        () => undefined,
        () => 'no Docker Engine answers',
      ),
    () => 'there is no docker compose',
  );

/** A checkout of the project, and an image of it. */
interface Edition {
  readonly folder: string;
  readonly image: string;
}

/** This checkout with the image ESTATE_IMAGE, or one that is built. */
export async function currentEdition(): Promise<Edition> {
  const image = process.env['ESTATE_IMAGE'];
  return image ? { folder: PROJECT, image } : await buildEdition(PROJECT, 'unified-commerce-estate:local');
}

export async function buildEdition(folder: string, image: string): Promise<Edition> {
  await run('docker', ['build', '--quiet', '--tag', image, folder], { DOCKER_BUILDKIT: '0' });
  return { folder, image };
}

export async function startCompose({ folder, image }: Edition): Promise<ComposeEstate> {
  const name = `estate-bench-${randomBytes(4).toString('hex')}`;
  const token = randomBytes(32).toString('base64url');
  const [gatewayPort, touchpointPort, portalPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ESTATE_IMAGE: image,
    ESTATE_TOKEN: token,
    LOG_LEVEL: 'info',
    GATEWAY_PORT: String(gatewayPort),
    TOUCHPOINT_PORT: String(touchpointPort),
    PORTAL_PORT: String(portalPort),
  };
  const compose = (...args: readonly string[]): Promise<string> =>
    run('docker', ['compose', '--project-directory', folder, '--project-name', name, ...args], env);
  const down = async (): Promise<void> => void (await compose('down', '--volumes', '--timeout', '5'));
  const containerOf = async (service: string): Promise<string> => (await compose('ps', '--quiet', service)).split('\n')[0] ?? '';
  try {
    await compose('up', '--wait');
  } catch (error) {
    await down();
    throw error;
  }
  return {
    gateway: `http://127.0.0.1:${gatewayPort}`,
    image,
    token,
    addressOf: async (application) => {
      const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
      return `http://${await docker('inspect', '--format', format, await containerOf(application))}:8080`;
    },
    memory: async () => {
      const services = (await compose('ps', '--services')).split('\n');
      const entries = services.map(async (service): Promise<[string, number]> => {
        const used = await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', await containerOf(service));
        return [service, bytesOf(used)];
      });
      return new Map(await Promise.all(entries));
    },
    cpuMs: async () => {
      const ids = (
        await docker('ps', '--quiet', '--filter', `label=com.docker.compose.project=${name}`, '--filter', `ancestor=${image}`)
      ).split('\n');
      const used = await Promise.all(ids.map(cpuNanosecondsOf));
      return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / NANOSECONDS_PER_MS;
    },
    restart: async (application) => {
      await compose('restart', application);
      const id = await containerOf(application);
      const started = Date.parse(await docker('inspect', '--format', '{{.State.StartedAt}}', id));
      for (;;) {
        const [, ready] =
          /"time":"([^"]+)".*"msg":"ready"/.exec((await docker('logs', '--since', new Date(started).toISOString(), id)) ?? '') ?? [];
        if (ready !== undefined) return Date.parse(ready) - started;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    [Symbol.asyncDispose]: down,
  };
}

/** Reads the engine's API, because `docker stats` prints only the current percentage. */
async function cpuNanosecondsOf(id: string): Promise<number> {
  const [host] = JSON.parse(await docker('context', 'inspect', '--format', '[{{json .Endpoints.docker.Host}}]')) as [string];
  const answer = get({ socketPath: host.replace(/^unix:\/\//, ''), path: `/containers/${id}/stats?stream=false&one-shot=true` });
  const [response] = (await once(answer, 'response')) as [IncomingMessage];
  const stats = (await json(response)) as { readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } } };
  return stats.cpu_stats.cpu_usage.total_usage;
}

/** `50.5MiB / 384MiB` as Docker prints it. */
function bytesOf(usage: string): number {
  const [, amount, prefix = ''] = /^([\d.]+)([KMG]?)i?B/.exec(usage) ?? [];
  return Number(amount) * 1_024 ** ['', 'K', 'M', 'G'].indexOf(prefix);
}
