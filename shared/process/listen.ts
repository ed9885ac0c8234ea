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
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${bound}`;
}
