import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';

/** The listeners at the other loopback address, by their server. */
const others = new WeakMap<Server, NetServer>();

/**
 * Accepts connections at the other loopback address and the same port, for a server that listens at one of them: `localhost` may stand for
 * either. Where this address does not exist or its port is taken, nothing changes.
 * @param host the host that the server was asked to listen on
 */
export async function listenAtOtherLoopback(server: Server, host: string): Promise<void> {
  if (host !== '127.0.0.1' && host !== 'localhost') return;
  const { port, address } = server.address() as AddressInfo;
  // As Node's HTTP servers listen.
  const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket));
  try {
    other.listen({ port, host: address === '::1' ? '127.0.0.1' : '::1' });
    await once(other, 'listening');
  } catch {
    return;
  }
  // It lives as long as its server.
  other.unref();
  others.set(server, other);
  server.once('close', () => void closeOtherLoopback(server));
}

/** Stops accepting at the other loopback address. Resolves when the connections that came there have ended. */
export async function closeOtherLoopback(server: Server): Promise<void> {
  const other = others.get(server);
  if (!other?.listening) return;
  const closed = once(other, 'close');
  other.close();
  await closed;
}
