import { Cluster, Redis } from 'ioredis';
import { Problem } from '../../catalog/problems.ts';
import { READY, type State } from '../../process/readiness.ts';
import { WorldGone } from '../ports/directory.ts';
import type { RedisKeys } from './formats.ts';
import { type Script, type ScriptName, scripts } from './scripts.ts';

/** Where Redis is, and how long it may take. */
export interface RedisConnectionOptions {
  /**
   * `redis://[user:password@]host:port[/db]`, `rediss://` for TLS. Several, parted by commas, are the first nodes to ask of a Redis
   * Cluster; a single one is not taken for a cluster's unless it begins with `cluster:`.
   */
  readonly url: string;
  /** Wall time for one command. */
  readonly commandTimeoutMs?: number | undefined;
  /** Wall time for which the start waits for a Redis that does not answer yet. */
  readonly startTimeoutMs?: number | undefined;
  /** Hears what no caller hears of: a connection that broke, a notice that could not be sent. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Redis cannot be used as it is: unreachable, too old, or set up so that data would be lost. The message says what to do. */
export class RedisRefused extends Error {
  override readonly name = 'RedisRefused';
}

export type Argument = string | number;

export interface RedisConnection {
  readonly client: Redis | Cluster;
  /** Whether the connection stands now; one that is lost is made anew by itself. */
  state(): State;
  /** One connection of its own for messages. */
  subscriber(): Promise<Redis | Cluster>;
  /**
   * Runs a script by its hash, and repeats it while the connection fails: every script either does no harm twice or takes an operation.
   * @throws Problem `dependency_unavailable` when Redis does not answer, `store_full` when it is full; WorldGone when the world was dropped
   */
  run(name: ScriptName, key: string, args: readonly Argument[]): Promise<unknown>;
  /** A plain command that does no harm twice, repeated in the same way. */
  idempotently<T>(command: (client: Redis | Cluster) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What works by itself on a connection, beside what callers ask for. */
export interface RedisPart {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  /** Hears what no caller hears of. */
  readonly onError: (error: Error) => void;
}

const OLDEST_MAJOR = 7;
const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 3_000;
const START_TIMEOUT_MS = 10_000;
/** Waits before the second try and those that follow; then the caller gets an answer. */
const RETRY_WAITS_MS = [15, 40, 80, 160, 320] as const;
/** No new try after this long. */
const RETRY_WITHIN_MS = 3_000;
const CLOSING_MS = 1_000;
/** So soon there may be room again: what was deleted is dropped a minute later. */
const FULL_RETRY_SECONDS = 10;

const reconnectAfter = (times: number): number => Math.min(20 * 2 ** (times - 1), 1_000);

/**
 * By default ioredis sends again after a reconnect what was on its way, and keeps what comes while it is away to send it later. Both
 * repeat or delay writes that their caller has given up; here the caller decides, and repeats under the same operation id.
 */
const connectionOptions = (commandTimeout: number) => ({
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  commandTimeout,
  // A connection from which no answer comes is given up, or all that follows would wait behind it.
  socketTimeout: commandTimeout,
  connectTimeout: CONNECT_TIMEOUT_MS,
  // So long it also keeps a process alive after its connection was closed.
  disconnectTimeout: 200,
  lazyConnect: true,
  retryStrategy: reconnectAfter,
  // After a failover the address may lead to what is a replica now.
  reconnectOnError: (error: Error): 1 | false => (error.message.startsWith('READONLY') ? 1 : false),
});

/** @throws RedisRefused with a sentence when this Redis cannot be used */
export async function connectRedis(options: RedisConnectionOptions, channel: string): Promise<RedisConnection> {
  const { startTimeoutMs = START_TIMEOUT_MS } = options;
  const onError = (error: Error): void => options.onError?.(bare(error));
  const opened: (Redis | Cluster)[] = [];
  let closed = false;
  const open = async (subscribing: boolean): Promise<Redis | Cluster> => {
    if (closed) throw new RedisRefused('The store is closed.');
    const made = newClient(options, subscribing);
    opened.push(made);
    await ready(made, { where: shownAddress(options.url), startTimeoutMs, onError });
    return made;
  };
  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all(opened.map(quit));
  };
  try {
    const client = await open(false);
    await checkServers(client, shownAddress(options.url));
    return {
      client,
      state: () =>
        client.status === 'ready' ? READY : { ready: false, waitingFor: `redis: no connection to ${shownAddress(options.url)}` },
      subscriber: () => open(true),
      run: (name, key, args) => repeating(() => runScript(client, scripts[name], [key, channel, ...args])),
      idempotently: (command) => repeating(() => command(client)),
      close,
    };
  } catch (error) {
    opened.forEach(hangUp);
    throw error;
  }
}

function newClient({ url, commandTimeoutMs = COMMAND_TIMEOUT_MS }: RedisConnectionOptions, subscribing: boolean): Redis | Cluster {
  // A subscription is no write, and must come back by itself.
  const common = { ...connectionOptions(commandTimeoutMs), autoResubscribe: subscribing };
  const nodes = addresses(url);
  const [first] = nodes;
  if (!first) throw new RedisRefused('The address of Redis is empty: give it as redis://host:port.');
  if (nodes.length === 1 && !isCluster(url))
    return new Redis({ ...common, ...credentials(first), ...endpoint(first), db: database(first) });
  return new Cluster(nodes.map(endpoint), {
    redisOptions: { ...common, ...credentials(first), ...(first.protocol === 'rediss:' && { tls: {} }) },
    enableOfflineQueue: false,
    lazyConnect: true,
    clusterRetryStrategy: reconnectAfter,
    clusterNodeRetryStrategy: reconnectAfter,
    // What a node did not answer is repeated by its caller.
    retryDelayOnFailover: 0,
  });
}

const isCluster = (url: string): boolean => url.startsWith('cluster:') || url.includes(',');
function addresses(url: string): URL[] {
  const texts = url.replace(/^cluster:/, '').split(',');
  return texts.filter((text) => text.trim() !== '').map((text) => address(text.trim()));
}
function address(text: string): URL {
  const parsed = URL.parse(text);
  if (parsed && (parsed.protocol === 'redis:' || parsed.protocol === 'rediss:') && parsed.hostname !== '') return parsed;
  throw new RedisRefused('The address of Redis is not one: give it as redis://[user:password@]host:port.');
}
const endpoint = (url: URL) => ({
  host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
  port: Number(url.port || 6379),
  ...(url.protocol === 'rediss:' && { tls: {} }),
});
const database = (url: URL): number => Number(url.pathname.slice(1) || 0);
const credentials = (url: URL) => ({
  ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
  ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
});
/** Where it is, without the password. */
const shownAddress = (url: string): string =>
  addresses(url)
    .map((one) => one.host)
    .join(', ');

interface Starting {
  readonly where: string;
  readonly startTimeoutMs: number;
  readonly onError: (error: Error) => void;
}

/** Waits until a client can be used. What cannot get better by waiting is said at once. */
async function ready(client: Redis | Cluster, { where, startTimeoutMs, onError }: Starting): Promise<void> {
  let last: Error | undefined;
  const outcome = Promise.withResolvers<void>();
  const failed = (error: Error): void => {
    const found = deepest(error);
    // What says only that there is no connection says less than what said why.
    if (!last || found.message !== 'Connection is closed.') last = found;
    const refusal = refusedFor(found, where);
    if (refusal) outcome.reject(refusal);
  };
  const timer = setTimeout(
    () => outcome.reject(new RedisRefused(`No Redis answers at ${where} (${last?.message ?? 'no connection'}). Is it running?`)),
    startTimeoutMs,
  );
  const ended = (): void => outcome.reject(new RedisRefused(`The connection to the Redis at ${where} was closed before it was ready.`));
  client.on('error', failed);
  client.once('ready', outcome.resolve);
  client.once('end', ended);
  client.connect().catch(failed);
  try {
    await outcome.promise;
  } finally {
    clearTimeout(timer);
    client.off('error', failed);
    client.off('end', ended);
    client.on('error', onError);
  }
}

/** A cluster says only that its nodes failed; each says why. */
const deepest = (error: Error): Error => (error as { lastNodeError?: Error }).lastNodeError ?? error;

function refusedFor({ message }: Error, where: string): RedisRefused | undefined {
  if (/^WRONGPASS/.test(message)) return new RedisRefused(`The Redis at ${where} refuses the user name or password of its address.`);
  if (/^NOAUTH/.test(message)) return new RedisRefused(`The Redis at ${where} wants a password: put it into its address.`);
  if (/^NOPERM/.test(message)) return new RedisRefused(`The user of the Redis at ${where} may not do what is needed (${message}).`);
  if (/cluster support disabled/.test(message)) return new RedisRefused(`The Redis at ${where} is not a cluster: give a single address.`);
  if (/DB index is out of range/.test(message)) return new RedisRefused(`The Redis at ${where} does not have this database (${message}).`);
  return undefined;
}

async function checkServers(client: Redis | Cluster, where: string): Promise<void> {
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
      new RedisRefused(`The Redis at ${where} does not say how it is set up: ${(error as Error).message}`)
    );
  }
}

/** @throws RedisRefused when data would be lost, or what is used is not there */
export function checkServer(info: (field: string) => string, where: string): void {
  const version = info('redis_version');
  if (!(Number.parseInt(version, 10) >= OLDEST_MAJOR)) {
    throw new RedisRefused(`The Redis at ${where} is version ${version || 'unknown'}; ${OLDEST_MAJOR}.0 or newer is needed.`);
  }
  const policy = info('maxmemory_policy');
  if (policy !== 'noeviction') {
    throw new RedisRefused(
      `The Redis at ${where} throws data away when its memory is full (maxmemory-policy ${policy || 'unknown'}): set it to noeviction.`,
    );
  }
  if (info('role') === 'slave') throw new RedisRefused(`The Redis at ${where} is a replica: give the address of its primary.`);
}

async function runScript(client: Redis | Cluster, { sha, source }: Script, [key = '', ...args]: readonly Argument[]): Promise<unknown> {
  try {
    return await client.evalsha(sha, 1, key, ...args);
  } catch (error) {
    // It has forgotten its scripts, or is another one than before. Nothing was done.
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return client.eval(source, 1, key, ...args);
  }
}

/** What may be sent again: no answer came, or one that says that nothing was done and that it may be done soon. */
const PASSING =
  /^(READONLY|LOADING|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|BUSY|UNKILLABLE|MOVED|ASK) |Connection is closed|Stream isn't writeable|isn't ready|Command timed out|Command aborted|max retries per request|Failed to refresh slots|None of startup nodes|Too many Cluster redirections|Socket timeout|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH/;

async function repeating<T>(attempt: () => Promise<T>): Promise<T> {
  const until = Date.now() + RETRY_WITHIN_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const { message } = error as Error;
      if (message.includes('WORLDGONE')) throw new WorldGone('This world is gone.');
      const wait = RETRY_WAITS_MS[tries];
      if (message.startsWith('OOM ')) throw causedBy(storeFull(), error);
      if (!PASSING.test(message)) throw bare(error);
      if (wait === undefined || Date.now() + wait > until) throw causedBy(notAnswering(), error);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** An error of ioredis carries the command with all that it was about to write, or the password: logs are no place for it. */
const bare = (error: unknown): Error => new Error((error as Error).message);

const notAnswering = (): Problem => new Problem('dependency_unavailable', 'The store does not answer.', { retryAfter: 1 });

const storeFull = (): Problem =>
  new Problem('store_full', 'The store is full: its Redis has no memory left. Delete rehearsals that nobody needs, or give it more.', {
    dependency: 'store',
    retryAfter: FULL_RETRY_SECONDS,
  });

function causedBy(problem: Problem, cause: unknown): Problem {
  problem.cause = bare(cause);
  return problem;
}

/** Waits for answers that are on their way, but not for a Redis that is gone. */
async function quit(client: Redis | Cluster): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSING_MS);
  await Promise.race([client.quit().catch(() => undefined), late]);
  clearTimeout(timer);
  hangUp(client);
}

/** Asked to end what has ended, ioredis waits for an end that does not come. */
function hangUp(client: Redis | Cluster): void {
  if (client.status !== 'end') client.disconnect();
}
