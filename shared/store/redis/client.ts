import { Cluster, Redis } from 'ioredis';
import { CLOSED, DISTRUSTED, NOT_TLS, troubleInWords } from '../../process/connection-trouble.ts';
import { RedisRefused, refusedFor } from './refused.ts';

export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 3_000;
const CLOSING_MS = 1_000;
/** Keeps a process alive for this long after the connection was closed. */
const DISCONNECT_MS = 200;

const FIRST_RECONNECT_MS = 20;
const LONGEST_RECONNECT_MS = 1_000;

const reconnectAfter = (times: number): number => Math.min(FIRST_RECONNECT_MS * 2 ** (times - 1), LONGEST_RECONNECT_MS);

/**
 * By default ioredis resends in-flight commands after a reconnect, and queues new ones while the connection is down. Both repeat or
 * delay writes that their caller has given up. Here the caller decides, and repeats under the same operation id.
 */
const connectionOptions = (commandTimeout: number) => ({
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  commandTimeout,
  // A silent connection is closed; otherwise later commands would wait behind it.
  socketTimeout: commandTimeout,
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_MS,
  lazyConnect: true,
  retryStrategy: reconnectAfter,
  // After a failover, the address may belong to a replica. The client then connects again.
  reconnectOnError: (error: Error): 1 | false => (error.message.startsWith('READONLY') ? 1 : false),
});

interface ClientOptions {
  readonly url: string;
  /** Certificates, in PEM, that the server is verified with. Default: the certificate authorities of Node. */
  readonly ca: string | undefined;
  readonly commandTimeoutMs: number;
  /** Whether the client is for messages. */
  readonly subscribing: boolean;
}

export function createClient({ url, ca, commandTimeoutMs, subscribing }: ClientOptions): RedisClient {
  // A subscription writes nothing, and must return after a reconnect.
  const common = { ...connectionOptions(commandTimeoutMs), autoResubscribe: subscribing };
  const nodes = nodesOf(url);
  const [first] = nodes;
  if (!first) throw new RedisRefused('The address of Redis is empty: give it as redis://host:port.');
  if (nodes.length === 1 && !isCluster(url)) {
    return new Redis({ ...common, ...credentialsOf(first), ...endpointOf(first, ca), db: databaseOf(first) });
  }
  return new Cluster(
    nodes.map((node) => endpointOf(node, ca)),
    {
      redisOptions: { ...common, ...credentialsOf(first), ...(first.protocol === 'rediss:' && { tls: { ca } }) },
      enableOfflineQueue: false,
      lazyConnect: true,
      clusterRetryStrategy: reconnectAfter,
      clusterNodeRetryStrategy: reconnectAfter,
      // The caller repeats a command that a node did not answer.
      retryDelayOnFailover: 0,
    },
  );
}

interface Starting {
  readonly where: string;
  readonly startTimeoutMs: number;
  readonly onError: (error: Error) => void;
}

/** Connects and waits until the client is usable. @throws RedisRefused, without waiting when waiting cannot help */
export async function start(client: RedisClient, { where, startTimeoutMs, onError }: Starting): Promise<void> {
  let last: Error | undefined;
  const outcome = Promise.withResolvers<void>();
  const failed = (error: Error): void => {
    const found = deepest(error);
    // This message has no reason, but an earlier one may have.
    if (!last || found.message !== 'Connection is closed.') last = found;
    const refusal = refusedFor(found, where);
    if (refusal) outcome.reject(refusal);
  };
  const timer = setTimeout(
    () => outcome.reject(new RedisRefused(`No Redis can be reached at ${where}: ${reasonOf(last)}.`)),
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

const reasonOf = (error: Error | undefined): string =>
  error === undefined ? 'it does not answer in time' : (reasonAndRemedy(error) ?? error.message.replace(/\.$/, ''));

const REMEDIES: readonly (readonly [words: string, remedy: string])[] = [
  [DISTRUSTED, 'name its certificate authority in REDIS_TLS_CA_FILE'],
  [NOT_TLS, 'write its address as redis://'],
  [CLOSED, 'if it demands TLS, write its address as rediss://'],
];

function reasonAndRemedy(error: Error): string | undefined {
  const words = troubleInWords(error);
  const remedy = REMEDIES.find(([known]) => known === words)?.[1];
  return remedy === undefined ? words : `${words}; ${remedy}`;
}

/** A cluster reports that its nodes failed; the error of a node has the reason. */
const deepest = (error: Error): Error => (error as { lastNodeError?: Error }).lastNodeError ?? error;

/** Waits for outstanding replies, for a limited time. */
export async function quit(client: RedisClient): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSING_MS);
  await Promise.race([client.quit().catch(() => undefined), late]);
  clearTimeout(timer);
  hangUp(client);
}

/** A client that has ended emits no second `end`, so waiting for it would never finish. */
export function hangUp(client: RedisClient): void {
  if (client.status !== 'end') client.disconnect();
}

/** The nodes of an address; several are seed nodes of a Redis Cluster. @throws RedisRefused */
function nodesOf(url: string): URL[] {
  const texts = url.replace(/^cluster:/, '').split(',');
  return texts.filter((text) => text.trim() !== '').map((text) => parse(text.trim()));
}

function parse(text: string): URL {
  const parsed = URL.parse(text);
  if (parsed && (parsed.protocol === 'redis:' || parsed.protocol === 'rediss:') && parsed.hostname !== '') return parsed;
  throw new RedisRefused('The address of Redis is invalid: give it as redis://[user:password@]host:port.');
}

const isCluster = (url: string): boolean => url.startsWith('cluster:') || url.includes(',');

const endpointOf = (node: URL, ca: string | undefined) => ({
  host: node.hostname.replace(/^\[(.*)\]$/, '$1'),
  port: Number(node.port || 6379),
  ...(node.protocol === 'rediss:' && { tls: { ca } }),
});

const databaseOf = (node: URL): number => Number(node.pathname.slice(1) || 0);

const credentialsOf = (node: URL) => ({
  ...(node.username !== '' && { username: decodeURIComponent(node.username) }),
  ...(node.password !== '' && { password: decodeURIComponent(node.password) }),
});

/** The address for messages: without the password. */
export const shownAddress = (url: string): string =>
  nodesOf(url)
    .map((node) => node.host)
    .join(', ');
