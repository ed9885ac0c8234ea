import { createServer, request } from 'node:http';
import { listen } from '../../shared/process/listen.ts';

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Sends every request to the next of several replicas, also those that come on one connection. */
export async function startBalancer(replicas: readonly string[]): Promise<Balancer> {
  let next = 0;
  const server = createServer((incoming, response) => {
    const replica = replicas[next++ % replicas.length] ?? '';
    const { method, url, headers } = incoming;
    const outgoing = request(`${replica}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  return {
    url: await listen(server, 0, '127.0.0.1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
