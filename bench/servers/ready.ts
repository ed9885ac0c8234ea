import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of the loopback, says so, and ends when told, so that a profile is written. */
export function serve(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ ready: true, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  process.once('SIGTERM', () => process.exit(0));
}
