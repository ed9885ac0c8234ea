import { RedisRefused } from './refused.ts';

/** The nodes of an address; several are seed nodes of a Redis Cluster. @throws RedisRefused */
export function nodesOf(url: string): URL[] {
  const texts = url.replace(/^cluster:/, '').split(',');
  return texts.filter((text) => text.trim() !== '').map((text) => parse(text.trim()));
}

function parse(text: string): URL {
  const parsed = URL.parse(text);
  if (parsed && (parsed.protocol === 'redis:' || parsed.protocol === 'rediss:') && parsed.hostname !== '') return parsed;
  throw new RedisRefused('The address of Redis is invalid: give it as redis://[user:password@]host:port.');
}

export const isCluster = (url: string): boolean => url.startsWith('cluster:') || url.includes(',');

export const endpointOf = (node: URL) => ({
  host: node.hostname.replace(/^\[(.*)\]$/, '$1'),
  port: Number(node.port || 6379),
  ...(node.protocol === 'rediss:' && { tls: {} }),
});

export const databaseOf = (node: URL): number => Number(node.pathname.slice(1) || 0);

export const credentialsOf = (node: URL) => ({
  ...(node.username !== '' && { username: decodeURIComponent(node.username) }),
  ...(node.password !== '' && { password: decodeURIComponent(node.password) }),
});

/** The address for messages: without the password. */
export const shownAddress = (url: string): string =>
  nodesOf(url)
    .map((node) => node.host)
    .join(', ');
