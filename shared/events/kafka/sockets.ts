import { createRequire } from 'node:module';
import type { ISocketFactory } from 'kafkajs';

const createSocketFactory = createRequire(import.meta.url)('kafkajs/src/network/socketFactory') as () => ISocketFactory;
const open = createSocketFactory();

/**
 * kafkajs 2.2.4 ends the socket of an attempt that took too long, and Node keeps connecting an ended socket. When it connects, kafkajs uses
 * it again: the socket and a timer stay until the broker closes, and a frozen broker never does. Such a socket is destroyed instead.
 */
export const openSocket: ISocketFactory = ({ onConnect, ...to }) => {
  let isOpen = false;
  const socket = open({
    ...to,
    onConnect: () => {
      isOpen = true;
      onConnect();
    },
  });
  const end = socket.end.bind(socket);
  socket.end = (...given: unknown[]) => (isOpen ? end(...(given as [])) : socket.destroy());
  return socket;
};
