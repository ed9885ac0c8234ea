import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { placeOrders, REQUESTS_PER_ORDER } from '../../bench/order-journey.ts';

/** A server that ends each connection after a few answers, as the gateway does with connections of a certain age. */
async function endingConnections(answersPerConnection: number) {
  const paths: string[] = [];
  let answered = 0;
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answered++;
    if (answered % answersPerConnection === 0) response.setHeader('connection', 'close');
    request.resume().once('end', () => response.writeHead(201).end(JSON.stringify({ id: `id${answered}` })));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    paths,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('The orders of a benchmark', () => {
  test('A client that loses its connection between two requests sends every request of its orders', async () => {
    await using server = await endingConnections(4);
    const { latenciesMs } = await placeOrders({ url: server.url, bearer: 'any', clients: 1, for: { orders: 5 } });
    expect(latenciesMs).toHaveLength(5);
    expect(server.paths).toHaveLength(5 * REQUESTS_PER_ORDER);
    expect(server.paths.filter((path) => path === '/orders')).toHaveLength(5);
    expect(server.paths.join(' ')).not.toContain('undefined');
  });

  test('Many clients share the orders', async () => {
    await using server = await endingConnections(1_000);
    const { latenciesMs } = await placeOrders({ url: server.url, bearer: 'any', clients: 4, for: { orders: 10 } });
    expect(latenciesMs).toHaveLength(10);
  });

  test('A refused request of an order ends the run with its path and its answer', async () => {
    const server = createServer((_, response) => response.writeHead(409).end('{"code":"out_of_stock"}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = placeOrders({ url, bearer: 'any', clients: 2, for: { orders: 2 } });
    await expect(refused).rejects.toThrow('POST /baskets: 409 {"code":"out_of_stock"}');
    server.close();
    server.closeAllConnections();
  });
});
