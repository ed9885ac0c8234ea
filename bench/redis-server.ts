import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';

export interface BenchRedis extends AsyncDisposable {
  readonly url: string;
  /** Number of commands run so far, including those within scripts. */
  commands(): Promise<number>;
  cpuMs(): Promise<number>;
}

export function isRedisInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** A separate Redis that writes nothing to disk. It ends when this process ends, or earlier. */
export async function startRedis(): Promise<BenchRedis> {
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'redis-bench-'))]);
  const settings = { port: String(port), bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const client = new Redis({ port, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  while ((await client.ping().catch(() => '')) !== 'PONG') await sleep(20);
  return {
    url: `redis://127.0.0.1:${port}`,
    commands: async () => {
      const calls = (await client.info('commandstats')).matchAll(/^cmdstat_(?!info)[^:]+:calls=(\d+)/gm);
      return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    cpuMs: async () => {
      const used = (await client.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
      return [...used].reduce((sum, [, seconds]) => sum + Number(seconds) * 1_000, 0);
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', kill);
      client.disconnect();
      const ended = once(child, 'exit');
      kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
