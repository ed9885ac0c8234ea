import { type IncomingMessage, request as send } from 'node:http';
import { expect, test } from '@jest/globals';
import { readBody } from '../../shared/http/request-body.ts';
import { serving } from '../conform/serving.ts';

/** The result of reading a request body that a client sends in these parts, after an action of the server. */
async function reading(parts: readonly string[], first: (request: IncomingMessage) => void = () => undefined): Promise<unknown> {
  const read = Promise.withResolvers<unknown>();
  await using server = await serving((request, response) => {
    const body = readBody(request, response).then(String, ({ name }: Error) => name);
    first(request);
    read.resolve(body);
    void body.then(() => response.end());
  });
  const client = send(server.url, { method: 'POST', headers: { 'Content-Length': parts.join('').length } });
  client.on('error', () => undefined);
  for (const part of parts) await new Promise((written) => client.write(part, written));
  client.end();
  return await read.promise;
}

test('The body of a request is read if it arrives with the headers or in parts', async () => {
  expect(await reading(['whole'])).toBe('whole');
  expect(await reading(['in ', 'several ', 'parts'])).toBe('in several parts');
});

test('The server does not wait for the body of a client that has disconnected', async () =>
  expect(await reading(['whole'], (request) => void request.destroy())).toBe('ClientGone'));
