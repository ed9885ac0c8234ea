import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

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

export const docker = (...args: readonly string[]): Promise<string> => run('docker', args);

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
export interface Edition {
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
