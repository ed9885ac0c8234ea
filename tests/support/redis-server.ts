import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

/** Why tests with a real Redis cannot run here; undefined when they can. */
export const whyNoRedis = ((): string | undefined => {
  try {
    execFileSync('redis-server', ['--version']);
    return undefined;
  } catch {
    return 'redis-server is not installed (Debian: apt-get install redis-server)';
  }
})();

export interface RedisServer {
  readonly port: number;
  /** One port per node. */
  readonly ports: readonly number[];
  readonly url: string;
  readonly pid: number;
  /** Kills the server and restarts it on its data on disk. */
  restart(): Promise<RedisServer>;
  stop(): Promise<void>;
}

/** Starts a Redis on a free port, with its files in a temporary folder that is removed when it stops. */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const port = Number(settings['port'] ?? (await freePort()));
  const folder = await mkdtemp(join(tmpdir(), 'redis-test-'));
  return run({ port: String(port), bind: '127.0.0.1', dir: folder, save: '', 'maxmemory-policy': 'noeviction', ...settings });
}

async function run(settings: Readonly<Record<string, string>> & { readonly port: string; readonly dir: string }): Promise<RedisServer> {
  const port = Number(settings.port);
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended(child);
  };
  try {
    await listening(port, settings['requirepass'], child);
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    port,
    ports: [port],
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    restart: async () => {
      await kill();
      return run(settings);
    },
    stop: async () => {
      await kill();
      await rm(settings.dir, { recursive: true, force: true });
    },
  };
}

interface ClusterNode extends RedisServer {
  /** Port for the cluster bus. The default is 10,000 higher, which may be taken or above the limit. */
  readonly nodesPort: number;
}

async function startNode(): Promise<ClusterNode> {
  const nodesPort = await freePort();
  const server = await startRedis({
    'cluster-enabled': 'yes',
    'cluster-config-file': 'nodes.conf',
    'cluster-node-timeout': '2000',
    'cluster-port': String(nodesPort),
  });
  return { ...server, nodesPort };
}

/** A Redis Cluster of two nodes, each with half of the slots. */
export async function startCluster(): Promise<RedisServer> {
  const first = await startNode();
  const second = await startNode().catch(async (error: unknown) => {
    await first.stop();
    throw error;
  });
  const nodes = [first, second].map(({ port }) => new Redis(port));
  const [one, two] = nodes as [Redis, Redis];
  const stop = async (): Promise<void> => {
    await Promise.all([first.stop(), second.stop()]);
  };
  try {
    await one.cluster('ADDSLOTSRANGE', 0, 8191);
    await two.cluster('ADDSLOTSRANGE', 8192, 16383);
    await two.call('CLUSTER', 'SET-CONFIG-EPOCH', '2');
    await one.call('CLUSTER', 'MEET', '127.0.0.1', String(second.port), String(second.nodesPort));
    await eventually('the cluster is whole', async () =>
      (await Promise.all(nodes.map((node) => node.cluster('INFO')))).every((info) => /cluster_state:ok/.test(info)),
    );
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const node of nodes) node.disconnect();
  }
  return { ...first, ports: [first.port, second.port], url: `cluster:${first.url},${second.url}`, stop };
}

async function listening(port: number, password: string | undefined, child: ChildProcess): Promise<void> {
  await eventually('Redis answers', async () => {
    if (child.exitCode !== null) throw new Error(`redis-server ended with exit code ${child.exitCode}.`);
    const client = new Redis({ port, lazyConnect: true, retryStrategy: () => null, ...(password !== undefined && { password }) });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.ping()) === 'PONG';
    } catch {
      return false;
    } finally {
      // Ending an ended client would keep the process alive for two seconds.
      if (client.status !== 'end') client.disconnect();
    }
  });
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once('exit', () => resolve()));
