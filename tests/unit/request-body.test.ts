import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { readBody } from '../../shared/http/request-body.ts';

/** The result of reading a request body that a client sends in these parts, after an action of the server. */
async function reading(parts: readonly string[], first: (request: IncomingMessage) => void = () => undefined): Promise<unknown> {
  const read = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    const body = readBody(request, response).then(String, ({ name }: Error) => name);
    first(request);
    read.resolve(body);
    void body.then(() => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = send({ port, method: 'POST', headers: { 'Content-Length': parts.join('').length } });
  client.on('error', () => undefined);
  for (const part of parts) await new Promise((written) => client.write(part, written));
  client.end();
  const body = await read.promise;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  return body;
}

test('The body of a request is read if it arrives with the headers or in parts', async () => {
  expect(await reading(['whole'])).toBe('whole');
  expect(await reading(['in ', 'several ', 'parts'])).toBe('in several parts');
});

test('The server does not wait for the body of a client that has disconnected', async () =>
  expect(await reading(['whole'], (request) => void request.destroy())).toBe('ClientGone'));
