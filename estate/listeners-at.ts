import { isIPv4 } from 'node:net';
import type { OwnListener } from '../shared/http/outbound.ts';

/** @param addresses URLs, or `host:port` */
export const listenersAt = (addresses: readonly string[]): readonly OwnListener[] =>
  addresses.flatMap((address) => {
    const url = URL.parse(address.includes('://') ? address : `tcp://${address}`);
    if (!url) return [];
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const isLocal = host === 'localhost' || host === '::1' || (isIPv4(host) && /^(127\.|0\.)/.test(host));
    const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
    return [isLocal ? { port } : { host, port }];
  });

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'redis:': 6379, 'rediss:': 6379 };
