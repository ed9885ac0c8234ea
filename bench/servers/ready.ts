import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free loopback port, reports its address, and ends on request, so that Node writes the CPU profile. */
export function serve(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ ready: true, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  process.once('SIGTERM', () => process.exit(0));
}
