import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { LISTEN_SECRET } from '../../../command-line/events/listen.ts';
import { serving } from '../../conform/serving.ts';
import { MAIN, runEstate } from '../../support/command.ts';
import { estate, eventually, newRehearsal } from '../../support/estate.ts';
import { receiveEvents } from '../../support/event-receiver.ts';
import { started } from '../started.ts';
import { scratchFolder } from './scratch.ts';

const { at } = await scratchFolder();

const listen = (rehearsal: string, url: string, ...more: readonly string[]) =>
  runEstate(['listen', '--forward-to', url, '--rehearsal', rehearsal, ...(more.includes('--from') ? [] : ['--from', 'h0.e0']), ...more]);

test('The command listen sends each event with a signature that a receiver verifies with its own library', async () => {
  await using rehearsal = await newRehearsal();
  await using own = await receiveEvents();
  await rehearsal.confirmed();
  await rehearsal.settle();
  const { code, out } = await listen(rehearsal.name, own.url, '--types', 'basket-created,order-created,order-confirmed', '--count', '3');
  expect(code).toBe(0);
  expect(out).toContain(`Signing secret: ${LISTEN_SECRET}\n`);
  expect(out).toMatch(/→ order-confirmed +order\/ord_\w+ {2}204 {2}\d+ ms\n/);
  expect(own.types().toSorted()).toEqual(['basket-created', 'order-confirmed', 'order-created']);
  for (const { headers, text } of own.received) {
    const event = new Webhook(LISTEN_SECRET).verify(text, headers as Record<string, string>);
    expect(event).toMatchObject({ id: headers['webhook-id'], rehearsal: rehearsal.name });
  }
});

test('The command listen trusts the own certificate of a receiver that NODE_EXTRA_CA_CERTS names, and no other', async () => {
  const [key, cert] = [at('key.pem'), at('ca.pem')];
  const subject = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  await using receiver = await serving(
    createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => void response.writeHead(204).end()),
  );
  await using rehearsal = await newRehearsal();
  await rehearsal.basket();
  const url = receiver.url.replace('http://127.0.0.1', 'https://localhost');
  const forward = ['listen', '--forward-to', url, '--rehearsal', rehearsal.name, '--from', 'h0.e0', '--count', '1'];
  expect((await runEstate(forward)).out).toContain('its certificate is not trusted');
  expect(await runEstate(forward, { NODE_EXTRA_CA_CERTS: cert })).toMatchObject({ code: 0, out: expect.stringContaining(' 204 ') });
});

test('The command listen repeats a refused event before the next one of the same object', async () => {
  await using rehearsal = await newRehearsal();
  await using own = await receiveEvents(({ type }, attempt) => ({
    status: (type === 'order-created' && [500, 302][attempt - 1]) || 204,
    headers: { location: '/elsewhere' },
  }));
  await rehearsal.confirmed();
  await rehearsal.settle();
  const { code, out } = await listen(rehearsal.name, own.url, '--types', 'order-created,order-confirmed', '--count', '2', '--json');
  const attempts = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(attempts).toMatchObject([
    { type: 'order-created', attempt: 1, status: 500 },
    { type: 'order-created', attempt: 2, status: 302 },
    { type: 'order-created', attempt: 3, status: 204 },
    { type: 'order-confirmed', attempt: 1, status: 204 },
  ]);
  expect(new Set(own.received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(code).toBe(0);
});

test('The command listen ends with 1 when the receiver did not accept an event, or wants no more', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.basket();
  await using gone = await receiveEvents(() => ({ status: 410 }));
  const ended = await listen(rehearsal.name, gone.url, '--count', '1');
  expect(ended).toMatchObject({ code: 1, err: 'The receiver answers 410: it wants no more events.\n' });
  const refused = await listen(rehearsal.name, 'http://127.0.0.1:1/', '--count', '1');
  expect(refused).toMatchObject({ code: 1, err: 'The receiver did not accept 1 of 1 events.\n' });
  expect(refused.out).toMatch(/✗ basket-created +basket\/bsk_\w+ {2}nothing listens there, again in 0\.5 s\n.*\n.*\n.*\n.*given up\n$/);
});

test('The command listen prints a position for --from', async () => {
  await using rehearsal = await newRehearsal();
  await using own = await receiveEvents();
  const args = [MAIN, 'listen', '--forward-to', own.url, '--rehearsal', rehearsal.name, '--against', estate.gateway];
  await using listening = started(process.execPath, args);
  await eventually('it listens', async () => listening.output.out !== '');
  await eventually('a delivery', async () => {
    await rehearsal.basket();
    return listening.output.out.includes(' 204 ');
  });
  await listening.stop('SIGINT');
  const position = /^To continue here: --from (\S+)\n$/.exec(listening.output.err)?.[1] ?? '';
  const before = own.received.length;
  await rehearsal.basket();
  expect(await listen(rehearsal.name, own.url, '--from', position, '--count', '1')).toMatchObject({ code: 0 });
  expect(own.received.slice(before).map(({ id }) => id)).not.toContain(own.received[0]?.headers['webhook-id']);
});
