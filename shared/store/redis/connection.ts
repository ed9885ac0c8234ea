import { Cluster, type Redis } from 'ioredis';
import type { World } from '../../domain/world.ts';
import { READY, type State } from '../../process/readiness.ts';
import { createClient, hangUp, quit, type RedisClient, shownAddress, start } from './client.ts';
import type { RedisKeys } from './keys.ts';
import { RedisRefused, refusalIn, refusedFor } from './refused.ts';
import { bareError, repeating } from './repeating.ts';
import { type Script, type ScriptName, scripts } from './scripts.ts';

export interface RedisConnectionOptions {
  /**
   * `redis://[user:password@]host:port[/db]`, `rediss://` for TLS. Several addresses, separated by commas, are seed nodes of a
   * Redis Cluster. A single address is a seed node only when it begins with `cluster:`.
   */
  readonly url: string;
  /** Certificates, in PEM, that the server is verified with. Default: the certificate authorities of Node. */
  readonly ca?: string | undefined;
  /** Wall time for one command. */
  readonly commandTimeoutMs?: number | undefined;
  /** The start waits this wall time for a Redis that does not answer yet. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Receives the errors that no caller receives: a broken connection, a notification that could not be sent. `RedisRefused`: Redis begins
   * to refuse commands.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

export type Argument = string | number;

export interface RedisConnection {
  readonly client: RedisClient;
  /** Whether the connection is up now, and Redis takes writes. A lost connection is restored automatically. */
  state(): State;
  /** Opens a separate connection for messages. */
  subscriber(): Promise<RedisClient>;
  /**
   * Runs a script by its hash, and repeats it while the connection fails: every script is harmless when executed twice, or takes an
   * operation id.
   * @throws Problem `dependency_unavailable` when Redis does not answer or refuses the command, `store_full` when it is full; WorldGone when the world was dropped
   */
  run(name: ScriptName, key: string, args: readonly Argument[]): Promise<unknown>;
  /** Sends a plain command that is harmless when executed twice, and repeats it in the same way. */
  idempotently<T>(command: (client: RedisClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Access to the data of one installation. */
export interface RedisAccess {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
}

/** Access for background work, which has no caller to report errors to. */
export interface RedisBackground extends RedisAccess {
  readonly onError: (error: Error) => void;
}

const COMMAND_TIMEOUT_MS = 2_000;
const START_TIMEOUT_MS = 10_000;

/** @throws RedisRefused when this Redis is not usable */
export async function connectRedis(options: RedisConnectionOptions, channel: string): Promise<RedisConnection> {
  const { url, ca, commandTimeoutMs = COMMAND_TIMEOUT_MS, startTimeoutMs = START_TIMEOUT_MS } = options;
  const onError = (error: Error): void => options.onError?.(bareError(error));
  const opened = new Set<RedisClient>();
  let closed = false;
  const open = async ({ subscribing }: { readonly subscribing: boolean }): Promise<RedisClient> => {
    if (closed) throw new RedisRefused('The store is closed.');
    const client = createClient({ url, ca, commandTimeoutMs, subscribing });
    opened.add(client);
    try {
      await start(client, { where: shownAddress(url), startTimeoutMs, onError });
      return client;
    } catch (error) {
      // Otherwise it would connect again and again.
      hangUp(client);
      opened.delete(client);
      throw error;
    }
  };
  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all([...opened].map(quit));
  };
  try {
    const client = await open({ subscribing: false });
    const where = shownAddress(url);
    await checkServers(client, where);
    const writes = watchWrites(client, { where, key: channel, onError: (error) => options.onError?.(error) });
    const watched = <T>(key: string, attempt: () => Promise<T>): Promise<T> =>
      repeating(() =>
        attempt().catch((error: Error) => {
          writes.note(error, key);
          throw error;
        }),
      );
    return {
      client,
      state: () =>
        client.status === 'ready' ? (writes.state() ?? READY) : { ready: false, waitingFor: `redis: no connection to ${where}` },
      subscriber: () => open({ subscribing: true }),
      run: (name, key, args) => watched(key, () => runScript(client, scripts[name], [key, channel, ...args])),
      idempotently: (command) => watched(channel, () => command(client)),
      close: () => {
        writes.stop();
        return close();
      },
    };
  } catch (error) {
    opened.forEach(hangUp);
    throw error;
  }
}

async function runScript(client: RedisClient, { sha, source }: Script, [key = '', ...args]: readonly Argument[]): Promise<unknown> {
  try {
    return await client.evalsha(sha, 1, key, ...args);
  } catch (error) {
    // Redis lacks the script: it restarted or failed over. Nothing was executed.
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return client.eval(source, 1, key, ...args);
  }
}

/** Runs a script on the keys of a world. */
export type RunInWorld = (name: ScriptName, world: World, ...args: readonly Argument[]) => Promise<unknown>;

export const runInWorld =
  ({ connection, keys }: RedisAccess): RunInWorld =>
  (name, world, ...args) =>
    connection.run(name, keys.world(world), args);

/** Pause between two probes, in wall time. */
const PROBE_MS = 1_000;

interface Watching {
  readonly where: string;
  /** A key without a value. */
  readonly key: string;
  readonly onError: (error: Error) => void;
}

/**
 * Finds out whether Redis takes writes, for the readiness of the process. A process that writes nothing would not notice that its Redis
 * failed over to a replica, and a process that is not ready may get no requests. So this probes. The first refusal is reported.
 */
function watchWrites(client: RedisClient, { where, key: anyKey, onError }: Watching) {
  let refused: State | undefined;
  /** Whether the connection is new and may lead to another Redis than before. */
  let isUnproven = false;
  let isProbing = false;
  let key = anyKey;

  function note(error: Error, of: string): void {
    const sentence = sentenceFor(error, `The Redis at ${where}`);
    if (sentence === undefined) return;
    if (refused === undefined) onError(new RedisRefused(sentence));
    // A full store still answers reads, and deletes rehearsals.
    refused = isFull(error) ? { ready: true, degraded: `redis: ${sentence}` } : { ready: false, waitingFor: `redis: ${sentence}` };
    key = of;
  }

  function noteWrite(): void {
    refused = undefined;
    isUnproven = false;
    key = anyKey;
  }

  /** Redis checks this command like any other write, including its memory. It changes no key. */
  async function probe(): Promise<void> {
    if (isProbing || client.status !== 'ready') return;
    isProbing = true;
    try {
      await client.setrange(key, 0, '');
      noteWrite();
    } catch (error) {
      // Redis took the command.
      if ((error as Error).message.startsWith('WRONGTYPE')) noteWrite();
      else note(error as Error, key);
    } finally {
      isProbing = false;
    }
  }

  // A refusal by a replica ends the connection. The next probe then waits, or it would connect again and again.
  const reconnected = (): void => {
    isUnproven = true;
    if (refused === undefined) void probe();
  };
  client.on('ready', reconnected);
  const timer = setInterval(() => void probe(), PROBE_MS).unref();

  return {
    /** @param key a key of the refused command */
    note,
    state: (): State | undefined =>
      refused ?? (isUnproven ? { ready: false, waitingFor: `redis: no write at ${where} since it was connected again` } : undefined),
    stop(): void {
      clearInterval(timer);
      client.off('ready', reconnected);
    },
  };
}

const isFull = ({ message }: Error): boolean => message.startsWith('OOM ');

const sentenceFor = (error: Error, redis: string): string | undefined =>
  isFull(error) ? `${redis} has no memory left. Delete unused rehearsals, or give it more memory.` : refusalIn(error, redis)?.sentence;

const OLDEST_MAJOR = 7;

/** @throws RedisRefused when a server would lose data or lacks a feature that the store needs */
async function checkServers(client: RedisClient, where: string): Promise<void> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  for (const node of nodes) {
    const info = await infoOf(node, where);
    checkServer(info, where);
    if (info('redis_mode') === 'cluster' && !(client instanceof Cluster)) {
      throw new RedisRefused(`The Redis at ${where} is a node of a cluster: write its address as cluster:redis://…`);
    }
  }
}

async function infoOf(node: Redis, where: string): Promise<(field: string) => string> {
  try {
    const info = await repeating(() => node.info());
    return (field) => new RegExp(`^${field}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '';
  } catch (error) {
    throw (
      refusedFor(error as Error, where) ??
      new RedisRefused(`The configuration of the Redis at ${where} is unknown: ${(error as Error).message}`)
    );
  }
}

/** @throws RedisRefused when data would be lost, or a feature that the store needs is missing */
export function checkServer(info: (field: string) => string, where: string): void {
  const version = info('redis_version');
  if (!(Number.parseInt(version, 10) >= OLDEST_MAJOR)) {
    throw new RedisRefused(`The Redis at ${where} is version ${version || 'unknown'}; ${OLDEST_MAJOR}.0 or newer is needed.`);
  }
  const policy = info('maxmemory_policy');
  if (policy !== 'noeviction') {
    throw new RedisRefused(
      `The Redis at ${where} discards data when its memory is full (maxmemory-policy ${policy || 'unknown'}): set it to noeviction.`,
    );
  }
  if (info('role') === 'slave') throw new RedisRefused(`The Redis at ${where} is a replica: give the address of its primary.`);
}
