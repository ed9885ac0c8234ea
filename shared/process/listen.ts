import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @returns the address that the server listens on. @throws Error with code EADDRINUSE when the port is in use */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  return `http://${urlHost(host)}:${bound}`;
}

/** The host of a URL. Wildcard addresses cannot be called; loopback reaches the same server. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
