import { type Child, startChild } from '../child-process.ts';
import { startEstate } from '../estate-process.ts';
import { STATIC_PATH } from './exchanges.ts';
import type { Contestant, Server } from './server.ts';

export const touchpointMock: Contestant = {
  name: 'touchpoint mock',
  start: async () => answering(await startEstate({ service: 'touchpoint-mock' }), 'touchpoint'),
};

/** @param bytes length of its answer */
export const bareServer = (bytes: number): Contestant => ({
  name: 'bare node:http',
  start: async () => answering(await startChild('bench/servers/bare-http.ts', { args: [String(bytes)] }), 'url'),
});

async function answering(child: Child, address: string): Promise<Server> {
  const url = child.address(address);
  await fetch(`${url}${STATIC_PATH}`);
  return { url, rssBytes: async () => (await child.usage()).rssBytes, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
