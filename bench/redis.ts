import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { scripts } from '../shared/store/redis/scripts.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { freePort, startEstate } from './child-process.ts';
import { inNewRehearsal, placeOrders } from './order-journey.ts';
import { median } from './rounds.ts';

const CLIENTS = 4;
const ORDERS = 60;
const WARM_UP = 20;

/** What an order costs Redis. The counts hardly depend on the machine. */
export const redis: Benchmark = {
  name: 'redis',
  title: `Work of Redis per whole order, ${CLIENTS} clients, one process`,
  run: async (settings) => {
    if (isRedisInstalled()) return measure(settings);
    settings.progress('redis is left out: redis-server is not installed');
    return [];
  },
};

async function measure({ rounds, progress, profiles }: Settings): Promise<readonly Figure[]> {
  await using server = await startRedis();
  await using estate = await startEstate({ env: { REDIS_URL: server.url }, profiles });
  const gateway = estate.address('gateway');
  return await inNewRehearsal(gateway, async ({ bearer }) => {
    const place = async (orders: number): Promise<void> => {
      await placeOrders({ url: gateway, bearer, clients: CLIENTS, for: { orders } });
    };
    await place(WARM_UP);
    progress(`redis, ${ORDERS} orders are counted`);
    const before = await server.commands();
    const sent = await countCommands(server.url, () => place(ORDERS));
    const all = ((await server.commands()) - before) / ORDERS;
    const cpuMs: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(`redis, CPU, round ${round} of ${rounds}`);
      const started = await server.cpuMs();
      await place(ORDERS);
      cpuMs.push(((await server.cpuMs()) - started) / ORDERS);
    }
    return [
      { what: 'scripts per order', unit: '', figure: sum(sent.scripts) / ORDERS, aim: { of: 'figure', atMost: 120 } },
      { what: 'plain commands per order', unit: '', figure: sum(sent.plain) / ORDERS },
      { what: 'both per order', unit: '', figure: (sum(sent.scripts) + sum(sent.plain)) / ORDERS, aim: { of: 'figure', atMost: 120 } },
      { what: 'commands per order, with those within scripts', unit: '', figure: all },
      { what: 'CPU of Redis per order', unit: 'ms', figure: median(cpuMs) },
      ...perOrder('script', sent.scripts),
      ...perOrder('command', sent.plain),
    ];
  });
}

const perOrder = (kind: string, counts: ReadonlyMap<string, number>): readonly Figure[] =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => ({ what: `${kind} ${name}, per order`, unit: '', figure: count / ORDERS }));

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

/** Periodic scripts and commands, which no request causes: scans for abandoned work, records of use, and heartbeats. */
const BY_TIME: ReadonlySet<string> = new Set([
  'announce',
  'unsent',
  'withdraw',
  'ended',
  'droppable',
  'use',
  'zrange',
  'publish',
  'setrange',
]);
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(scripts).flatMap(({ sha, source, name }) => [
    [sha, name],
    [source, name],
  ]),
);

/** Wall time. */
const REPORTS_WITHIN_MS = 30_000;

/** Commands that clients sent to Redis, except periodic ones. */
interface SentCommands {
  /** Number of runs of each script. */
  readonly scripts: ReadonlyMap<string, number>;
  /** Number of times that each plain command was sent. */
  readonly plain: ReadonlyMap<string, number>;
  /** Number of commands that each script ran. */
  readonly within: ReadonlyMap<string, number>;
}

/** `+1700000000.123456 [0 127.0.0.1:50000] "evalsha" "…" …`; a command within a script has `lua` instead of an address. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "([^"]*)"(?: "((?:[^"\\]|\\.)*)")?/;

/** Counts the lines of MONITOR. It reports a script before the commands within the script. @param end marks the last command */
export function commandCounter(end: string) {
  const counts = { scripts: new Map<string, number>(), plain: new Map<string, number>(), within: new Map<string, number>() };
  let running: string | undefined;
  const add = (to: Map<string, number>, name: string): void => void to.set(name, (to.get(name) ?? 0) + 1);
  return {
    counts: counts as SentCommands,
    count(line: string): void {
      const [, source, command = '', first = ''] = LINE.exec(line) ?? [];
      if (source === undefined || first === end) return;
      if (source === 'lua') {
        if (running !== undefined) add(counts.within, running);
        return;
      }
      const script = command.startsWith('eval') ? (NAMES.get(unescaped(first)) ?? 'unknown') : undefined;
      const isPeriodic = BY_TIME.has(script ?? command);
      running = isPeriodic ? undefined : script;
      if (!isPeriodic) add(script === undefined ? counts.plain : counts.scripts, script ?? command);
    },
  };
}

/** Counts the commands that clients send during an action. Redis reports each command, which costs CPU time. */
export async function countCommands(url: string, act: () => Promise<void>): Promise<SentCommands> {
  const end = randomUUID();
  const { count, counts } = commandCounter(end);
  await using monitor = await startMonitor(url, count);
  await act();
  await monitor.reports(end);
  return counts;
}

const unescaped = (text: string): string => JSON.parse(`"${text}"`) as string;

/** Reads MONITOR over a plain socket: ioredis fails to parse a report in the same chunk as the answer to MONITOR. */
async function startMonitor(url: string, onLine: (line: string) => void) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const waiting = new Map<string, () => void>();
  const seen = async (text: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.set(text, resolve);
    const late = setTimeout(() => reject(new Error('Redis did not report in time.')), REPORTS_WITHIN_MS);
    await promise.finally(() => clearTimeout(late));
  };
  socket.on('error', () => socket.destroy());
  createInterface({ input: socket }).on('line', (line) => {
    onLine(line);
    for (const [text, resolve] of waiting) if (line.includes(text)) resolve();
  });
  socket.write('MONITOR\r\n');
  await seen('+OK');
  return {
    /** Waits until Redis has reported all earlier commands. */
    async reports(end: string): Promise<void> {
      const other = connect(Number(port), hostname, () => other.end(`ECHO ${end}\r\n`));
      other.on('error', () => other.destroy());
      other.resume();
      await seen(end);
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      if (!socket.closed) await once(socket, 'close');
    },
  };
}

export const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);
