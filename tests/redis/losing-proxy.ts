import { createConnection, createServer, type Socket } from 'node:net';

export interface LosingProxy {
  readonly port: number;
  /** Loses the answer to the next script that a client runs. */
  loseNextAnswer(how: 'cut' | 'silence'): void;
  /** Number of lost answers so far. */
  lost(): number;
  stop(): Promise<void>;
}

/** A proxy to Redis that can lose an answer after the request took effect: it cuts the connection, or sends nothing. */
export async function startLosingProxy(redisPort: number): Promise<LosingProxy> {
  const sockets = new Set<Socket>();
  let losing: 'cut' | 'silence' | undefined;
  let lost = 0;
  const server = createServer((client) => {
    const redis = createConnection(redisPort, '127.0.0.1');
    let silent = false;
    let asked = false;
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        redis.destroy();
      });
    }
    client.on('data', (data) => {
      // Only scripts: a client whose greeting is cut never starts.
      asked = losing !== undefined && data.includes('evalsha');
      redis.write(data);
    });
    redis.on('data', (data) => {
      if (silent) return;
      if (!asked || !losing) {
        client.write(data);
        return;
      }
      lost += 1;
      if (losing === 'cut') client.destroy();
      else silent = true;
      losing = undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    loseNextAnswer: (how) => {
      losing = how;
    },
    lost: () => lost,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
