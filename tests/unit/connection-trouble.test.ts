import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createEstateClient } from '../../rehearsal/estate-client.ts';
import { connectionTrouble, didNotConnect, troubleInWords } from '../../shared/process/connection-trouble.ts';
import { serving } from '../conform/serving.ts';

const coded = (code: string, message = `connect ${code} 127.0.0.1:6379`): Error => Object.assign(new Error(message), { code });

test.each([
  ['a code', coded('ECONNREFUSED', ''), 'nothing listens there'],
  ['a code in its text alone', new Error('Connection error: connect ECONNREFUSED 127.0.0.1:1'), 'nothing listens there'],
  ['a cause', new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'this name is unknown'],
  ['several attempts', new AggregateError([coded('EHOSTUNREACH'), coded('ECONNREFUSED')]), 'the network has no route to it'],
  ['a time limit of the HTTP client', coded('UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error'), 'it does not answer in time'],
  ['an answer of another protocol', coded('HPE_INVALID_CONSTANT', 'Parse Error'), 'it does not answer HTTP'],
])('A connection error is described by %s', (_by, error, words) => expect(connectionTrouble(error)?.words).toBe(words));

test.each([
  ['Connection timeout', 'it does not answer in time'],
  ['Connection is closed.', 'the connection was closed'],
  ['socket hang up', 'the connection was closed'],
])('A connection error is described by the text "%s" of a library without codes', (text, words) =>
  expect(troubleInWords(new Error(text))).toBe(words),
);

test.each([new TypeError('x is not a function'), new Error('LOADING Redis is loading the dataset in memory'), 'nothing', undefined])(
  'Another error is not described as a connection error: %s',
  (error) => expect([connectionTrouble(error), troubleInWords(error)]).toEqual([undefined, undefined]),
);

test.each([...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'UND_ERR_CONNECT_TIMEOUT']])(
  'A connection was not made when the error is %s, so nothing was sent',
  (code) => expect(didNotConnect(coded(code))).toBe(true),
);

test.each([...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT']])(
  'A connection may have been made when the error is %s',
  (code) => expect(didNotConnect(coded(code))).toBe(false),
);

const HEAD = { 'content-type': 'text/event-stream', 'content-length': '100' };
const at = (address: string) => createEstateClient({ gateway: address, bearer: 'b', apiKey: 'k', admin: 'a' });

test('A client of an estate reports that nothing listens at its address, and what to do', async () => {
  await using client = at('http://127.0.0.1:1');
  await expect(client.call('GET', '/orders')).rejects.toMatchObject({
    name: 'ConnectionError',
    code: 'ECONNREFUSED',
    message: 'No answer came from the estate at http://127.0.0.1:1: nothing listens there. Start an estate, or correct the address.',
  });
});

test.each([
  ['before the answer', (socket: Socket) => socket.destroy()],
  ['within the answer', (socket: Socket, answer: ServerResponse) => answer.writeHead(200, HEAD).write('{', () => socket.destroy())],
])('A client of an estate reports that the connection was closed %s', async (_when, closing) => {
  await using server = await serving((request, answer) => void closing(request.socket, answer));
  await using client = at(server.url);
  const message = `No answer came from the estate at ${server.url}: the connection was closed.`;
  await expect(client.call('GET', '/orders')).rejects.toMatchObject({ message });
  await expect(client.stream('read-stream').next()).rejects.toMatchObject({ message });
});
