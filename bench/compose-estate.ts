import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Owner, owners } from '../shared/catalog/applications.ts';
import { freePort } from './child-process.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const OUTPUT_BYTES = 64 * 1_048_576;
const NANOSECONDS_PER_MS = 1_000_000;
const UP_SECONDS = 600;
const STATS_MS = 30_000;
const COUNTER = 'bench/servers/count-kafka-requests.mjs';
/** Beside the packages of the image. */
const COUNTER_INSIDE = '/app/count-kafka-requests.mjs';
/** Where the counter answers inside a container. */
export const COUNTER_PORT = 9_099;

/** CPU time since the start of a container, and its memory without the cache of files. */
export interface ContainerUsage {
  readonly cpuMs: number;
  readonly bytes: number;
}

/** The estate of the compose file, with its own project name, ports and token. */
export interface ComposeEstate extends AsyncDisposable {
  readonly gateway: string;
  readonly image: string;
  /** Authenticates calls to an application that bypass the gateway. */
  readonly token: string;
  /** Redis, if messages are counted. */
  readonly redis: string;
  /** Address of a service's first container, which is reachable from this machine on Linux. */
  addressOf(service: string, port?: number): Promise<string>;
  /** Usage of each container, by service. */
  usage(): Promise<ReadonlyMap<string, ContainerUsage>>;
  /** Restarts an application. @returns wall time from the start of its container until it was ready */
  restart(application: string): Promise<number>;
}

const run = async (command: string, args: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<string> =>
  (await promisify(execFile)(command, [...args], { cwd: PROJECT, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES })).stdout.trim();

export const docker = (...args: readonly string[]): Promise<string> => run('docker', args);

/** Reason why containers are unavailable, with the remedy; undefined when they are available. */
export const whyNoCompose = (): Promise<string | undefined> =>
  docker('compose', 'version').then(
    () =>
      docker('info').then(
        () => undefined,
        () => 'no Docker Engine answers; start it, or name one with DOCKER_HOST',
      ),
    () => 'there is no docker compose; install Docker with its plugin compose',
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

interface ComposeOptions {
  /** Publishes Redis, and counts the requests to Kafka in every process. */
  readonly countsMessages?: boolean;
}

export async function startCompose({ folder, image }: Edition, { countsMessages = false }: ComposeOptions = {}): Promise<ComposeEstate> {
  const name = `estate-bench-${randomBytes(4).toString('hex')}`;
  const token = randomBytes(32).toString('base64url');
  const ports = { gateway: await freePort(), touchpoint: await freePort(), portal: await freePort(), broker: await freePort() };
  const redisPort = await freePort();
  const env = {
    ESTATE_IMAGE: image,
    ESTATE_TOKEN: token,
    LOG_LEVEL: 'info',
    GATEWAY_PORT: String(ports.gateway),
    TOUCHPOINT_PORT: String(ports.touchpoint),
    PORTAL_PORT: String(ports.portal),
    BROKER_PORT: String(ports.broker),
  };
  const additions = await mkdtemp(join(tmpdir(), 'compose-bench-'));
  const added = join(additions, 'added.json');
  await writeFile(added, JSON.stringify(countsMessages ? { services: countingServices(redisPort) } : {}));
  const files = [join(folder, 'docker-compose.yml'), added].flatMap((file) => ['--file', file]);
  const project = ['compose', '--project-directory', folder, '--project-name', name, ...files];
  const compose = (...args: readonly string[]): Promise<string> => run('docker', [...project, ...args], env);
  const remove = ['down', '--volumes', '--timeout', '5'];
  // A signal ends the run without another turn of the event loop.
  const removeNow = (): void => void execFileSync('docker', [...project, ...remove], { env: { ...process.env, ...env }, stdio: 'ignore' });
  process.once('exit', removeNow);
  const down = async (): Promise<void> => {
    await compose(...remove);
    process.off('exit', removeNow);
    await rm(additions, { recursive: true, force: true });
  };
  const containerOf = async (service: string): Promise<string> => (await compose('ps', '--quiet', service)).split('\n')[0] ?? '';
  try {
    await compose('up', '--wait', '--wait-timeout', String(UP_SECONDS));
  } catch (error) {
    await down();
    throw error;
  }
  return {
    gateway: `http://127.0.0.1:${ports.gateway}`,
    image,
    token,
    redis: `redis://127.0.0.1:${redisPort}`,
    addressOf: async (service, port = 8_080) => {
      const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
      return `http://${await docker('inspect', '--format', format, await containerOf(service))}:${port}`;
    },
    usage: async () => {
      const format = '{{.Label "com.docker.compose.service"}} {{.ID}}';
      const found = (await docker('ps', '--filter', `label=com.docker.compose.project=${name}`, '--format', format)).split('\n');
      const socketPath = await engineSocket();
      const entries = found.map(async (line): Promise<[string, ContainerUsage]> => {
        const [service = '', id = ''] = line.split(' ');
        return [service, usageIn(await statsOf(socketPath, id))];
      });
      return new Map(await Promise.all(entries));
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

/** Additions to the services of the compose file: Redis on a port of this machine, and a counter in every process of the estate. */
function countingServices(redisPort: number) {
  const counted = {
    environment: { NODE_OPTIONS: `--import=${COUNTER_INSIDE}`, KAFKA_COUNTER_PORT: String(COUNTER_PORT) },
    volumes: [`${join(PROJECT, COUNTER)}:${COUNTER_INSIDE}:ro`],
  };
  return {
    ...Object.fromEntries(owners.map((owner: Owner) => [owner, counted])),
    redis: { ports: [`127.0.0.1:${redisPort}:6379`] },
  };
}

async function engineSocket(): Promise<string> {
  const [host] = JSON.parse(await docker('context', 'inspect', '--format', '[{{json .Endpoints.docker.Host}}]')) as [string];
  return host.replace(/^unix:\/\//, '');
}

/** Members of a container's statistics, as the engine's API returns them. */
export interface ContainerStats {
  readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } };
  readonly memory_stats: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> };
}

/** Reads the engine's API, because `docker stats` prints only the current percentage. */
async function statsOf(socketPath: string, id: string): Promise<ContainerStats> {
  const path = `/containers/${id}/stats?stream=false&one-shot=true`;
  const request = get({ socketPath, path, signal: AbortSignal.timeout(STATS_MS) });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`The Docker Engine answered ${response.statusCode} to GET ${path}.`);
  return (await json(response)) as ContainerStats;
}

/** Memory as `docker stats` shows it. The member of inactive files depends on the version of control groups. */
export function usageIn({ cpu_stats: cpu, memory_stats: { usage = 0, stats = {} } }: ContainerStats): ContainerUsage {
  const cache = stats['total_inactive_file'] ?? stats['inactive_file'] ?? 0;
  return { cpuMs: cpu.cpu_usage.total_usage / NANOSECONDS_PER_MS, bytes: usage - cache };
}
