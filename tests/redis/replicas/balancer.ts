import { createServer, request } from 'node:http';
import { listen } from '../../../shared/process/fair-server.ts';

/** Sends every request to the next replica, even requests of one connection. */
export async function startBalancer(all: readonly string[]) {
  let replicas = all;
  let next = 0;
  const last = new Map<string, string>();
  const server = createServer((incoming, response) => {
    const replica = replicas[next++ % replicas.length] ?? '';
    const { method, url = '/', headers } = incoming;
    last.set(url.split('?')[0] ?? '', replica);
    const outgoing = request(`${replica}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('close', () => answer.complete || response.destroy());
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  // Longer than clients keep idle connections.
  server.keepAliveTimeout = 60_000;
  return {
    url: await listen(server, 0, '127.0.0.1'),
    /** The replica that got the last request with this path. */
    lastAt: (path: string) => last.get(path),
    /** Sends nothing more to a replica. */
    leaveOut(replica: string): void {
      replicas = replicas.filter((one) => one !== replica);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
