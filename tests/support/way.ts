import { createConnection, createServer, type Socket } from 'node:net';

/** Fault for the first matching request or its answer. */
export interface Strike {
  readonly lose: 'request' | 'answer';
  readonly when: (request: string) => boolean;
  /**
   * `silence`: all traffic stops until `clear`. A withheld request then arrives late; a withheld answer is lost.
   * `cut`: only this connection is broken. `muting`: only the answers of this connection are lost, from this one on.
   */
  readonly by: 'silence' | 'cut' | 'muting';
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Answers of this connection are not passed on. */
  deaf: boolean;
  readonly kept: (() => void)[];
}

/**
 * A TCP proxy to one or several processes, with faults. Connections are distributed in turn, and tried at the next process, like a load
 * balancer, when a process refuses one.
 */
export async function startWay(ports: readonly number[] = [], at = 0) {
  const pairs = new Set<Pair>();
  let targets = ports;
  let turn = 0;
  let blocked = false;
  let armed: (Strike & { readonly struck: () => void }) | undefined;

  function connect(client: Socket, tries: number): void {
    const target = targets[turn++ % Math.max(1, targets.length)];
    if (target === undefined || tries === 0) {
      client.destroy();
      return;
    }
    const server = createConnection(target, '127.0.0.1');
    const again = (): void => connect(client, tries - 1);
    server.once('error', again);
    server.once('connect', () => {
      server.off('error', again);
      join({ client, server, deaf: false, kept: [] });
    });
  }

  function join(pair: Pair): void {
    const { client, server } = pair;
    pairs.add(pair);
    client.on('data', (data) => pass(pair, () => ask(pair, data)));
    server.on('data', (data) => pass(pair, () => pair.deaf || client.write(data)));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      // Data sent before the end still arrives.
      one.on('close', () => {
        pairs.delete(pair);
        other.end();
      });
    }
    if (client.destroyed) server.end();
    client.resume();
  }

  function pass(pair: Pair, send: () => void): void {
    if (blocked) pair.kept.push(send);
    else send();
  }

  function ask(pair: Pair, data: Buffer): void {
    const { client, server } = pair;
    if (!armed?.when(data.toString('latin1'))) {
      server.write(data);
      return;
    }
    const { lose, by, struck } = armed;
    armed = undefined;
    pair.deaf = lose === 'answer';
    if (by === 'silence') blocked = true;
    if (lose === 'answer') {
      server.write(data);
      // The request has its effect before the answer.
      if (by === 'cut') server.once('data', () => client.destroy());
    } else if (by === 'silence') pair.kept.push(() => server.write(data));
    else client.destroy();
    struck();
  }

  function breakOff(): void {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  }

  const listener = createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    connect(client, Math.max(1, targets.length));
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(at, '127.0.0.1', resolve);
  });
  // A test whose preparation failed must not wait for it.
  listener.unref();
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** Sets the target ports. Without a port, every connection is refused. */
    lead(others: readonly number[]): void {
      targets = others;
    },
    /** Resolves after the fault has been applied. Earlier traffic passes unchanged. */
    strike: (strike: Strike) =>
      new Promise<void>((resolve) => {
        armed = { ...strike, struck: resolve };
      }),
    /** Ends all faults. */
    clear(): void {
      armed = undefined;
      blocked = false;
      for (const { kept } of pairs) for (const send of kept.splice(0)) send();
    },
    /** Ends every connection; new ones are accepted. */
    breakOff,
    async close(): Promise<void> {
      breakOff();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

export type Way = Awaited<ReturnType<typeof startWay>>;
