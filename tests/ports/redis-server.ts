import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';

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
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a Redis of its own on a free port, which keeps its files in a temporary folder and takes them along when it stops. */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'redis-test-'));
  const given = { port: String(port), bind: '127.0.0.1', dir: folder, save: '', 'maxmemory-policy': 'noeviction', ...settings };
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  await listening(port, settings['requirepass'], child);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGKILL');
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
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
      client.disconnect();
    }
  });
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once('exit', () => resolve()));

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
