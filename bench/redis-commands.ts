import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { scripts } from '../shared/store/redis/scripts.ts';

/** Scripts that run by time, not by request: searches for work left behind, and notes of use. */
const BY_TIME: ReadonlySet<string> = new Set(['announce', 'unsent', 'withdraw', 'ended', 'droppable', 'use']);
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(scripts).flatMap(({ sha, source, name }) => [
    [sha, name],
    [source, name],
  ]),
);

/** Wall time. */
const REPORTS_WITHIN_MS = 30_000;

/** Commands that clients sent to Redis. Commands within scripts are left out. */
export interface SentCommands {
  /** How often each script ran. Without those that run by time. */
  readonly scripts: ReadonlyMap<string, number>;
  /** How often each plain command was sent. */
  readonly plain: ReadonlyMap<string, number>;
}

/** Counts the commands that clients send while something is done. Redis reports each of them, which costs it time. */
export async function countCommands(url: string, act: () => Promise<void>): Promise<SentCommands> {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const counts = { scripts: new Map<string, number>(), plain: new Map<string, number>() };
  const [end, ended] = [randomUUID(), Promise.withResolvers<void>()];
  monitor.on('monitor', (_time: string, [command = '', first = '']: readonly string[], source: string) => {
    if (first === end) ended.resolve();
    if (source === 'lua') return;
    const script = command.startsWith('eval') ? (NAMES.get(first) ?? 'unknown') : undefined;
    if (script !== undefined && BY_TIME.has(script)) return;
    const [kind, name] = script === undefined ? [counts.plain, command] : [counts.scripts, script];
    kind.set(name, (kind.get(name) ?? 0) + 1);
  });
  try {
    await act();
    await client.echo(end);
    const late = setTimeout(() => ended.reject(new Error('Redis did not report the last command.')), REPORTS_WITHIN_MS);
    await ended.promise.finally(() => clearTimeout(late));
  } finally {
    monitor.disconnect();
    client.disconnect();
  }
  counts.plain.delete('echo');
  return counts;
}

export const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);
