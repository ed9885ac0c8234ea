import { afterAll, expect, test } from '@jest/globals';
import type { HardenRun } from '../../../rehearsal/harden/run.ts';
import { MAIN, runProgram } from '../../support/command.ts';
import { ADMIN, estate } from '../../support/estate.ts';
import { aFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';

const folder = await aFolder();
afterAll(folder.remove);

await folder.write(
  'bought.mjs',
  `export const bought = {
     name: 'bought',
     title: 'A member buys a mug',
     startsAt: '2026-03-03T09:00:00Z',
     async run(stage) {
       const lines = [{ sku: 'mug-blue', qty: 1 }];
       const basket = await stage.step({ title: 'Basket', call: 'POST /baskets', body: { channel: 'web', customerId: 'cus_ada', lines } });
       const shippingAddress = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
       await stage.step({ title: 'Checkout', call: 'POST /baskets/' + basket.body.id + '/checkout', body: { shippingAddress } });
       await stage.step({ title: 'Order', call: 'POST /orders', body: { basketId: basket.body.id } });
       await stage.step({ title: 'Welcome', call: 'POST /loyalty/accounts/loy_ada/points', body: { points: 5, reason: 'welcome' } });
     },
   };`,
);

/** A service that gives points for each order. SOUND: it keeps the key of a call, and passes the correlation id on. */
await folder.write(
  'points.mjs',
  `import { createServer } from 'node:http';
   import { text } from 'node:stream/consumers';
   const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_ADMIN_TOKEN, ESTATE_REHEARSAL, SOUND } = process.env;
   const send = (method, path, token, body, headers) => fetch(ESTATE_URL + path, {
     method,
     headers: { Authorization: 'Bearer ' + token, 'X-Rehearsal': ESTATE_REHEARSAL, 'Content-Type': 'application/json', ...headers },
     body: JSON.stringify(body),
   }).catch(() => undefined);
   const server = createServer(async (request, response) => {
     const { id, correlationid } = JSON.parse(await text(request));
     for (let attempt = 1; attempt <= 3; attempt++) {
       const headers = { 'Idempotency-Key': SOUND ? id : crypto.randomUUID(), 'X-Correlation-Id': correlationid };
       const answer = await send('POST', '/loyalty/accounts/loy_ada/points', ESTATE_BEARER_TOKEN, { points: 100, reason: 'order' }, headers);
       if (answer?.ok) break;
     }
     response.writeHead(204).end();
   }).listen(0, '127.0.0.1', () => {
     const url = 'http://127.0.0.1:' + server.address().port;
     void send('PUT', '/_control/webhooks/points', ESTATE_ADMIN_TOKEN, { url, types: ['order-created'] });
   });`,
);

const service = [process.execPath, folder.at('points.mjs')] as const;

const harden = (options: readonly string[], command: readonly string[] = service, variables: Readonly<Record<string, string>> = {}) =>
  runProgram(process.execPath, [MAIN, 'harden', '--against', estate.gateway, ...options, '--', ...command], {
    ESTATE_ADMIN_TOKEN: ADMIN,
    ...variables,
  });

const STORY = ['--story', folder.at('bought.mjs')] as const;

test('harden plays a story, and finds what a service beside it does twice, at the calls of the service only', async () => {
  const report = folder.at('report');
  const { code, out, err } = await harden([...STORY, '--only', 'lost-answers,delivery,permitted', '--json', '--report', report]);
  if (out === '') throw new Error(err);
  const { cells, sites, command, findings, endedEarly } = JSON.parse(out) as HardenRun;
  expect([code, endedEarly, command]).toEqual([1, undefined, `--story ${folder.at('bought.mjs')} -- ${service.join(' ')}`]);
  expect(sites.map(({ id }) => id)).toEqual(['start', 'issue-loyalty-points-api#1', 'webhook points order-created#1']);
  const verdicts = (family: string) => [...new Set(cells.filter((cell) => cell.family === family).map(({ verdict }) => verdict))];
  expect(verdicts('lost-answers')).toContain('twice');
  expect(verdicts('permitted').toSorted()).toEqual(['not-struck', 'survived']);
  expect(cells.find(({ misfortune }) => misfortune === 'twice')?.verdict).toBe('twice');
  expect(findings[0]?.paragraph).toContain('sent it again');
  expect(findings[0]?.paragraph).toContain('The story ended, and your service still ran.');
  expect(findings[0]?.repeat).toContain(`--story ${folder.at('bought.mjs')} `);
  const again = await harden([...STORY, '--only', 'lost-answers,delivery,permitted', '--report', report, '--again', cells[0]?.id ?? '']);
  expect([again.code, again.out]).toEqual([1, expect.stringMatching(/^Before: twice\..*Now: twice\./s)]);
});

test('harden finds nothing in a service that keeps the key of a call', async () => {
  const { code, out } = await harden([...STORY, '--only', 'lost-answers,credentials'], service, { SOUND: '1' });
  expect([code, out]).toEqual([0, expect.stringContaining('No finding.')]);
});

test('harden names the mistake when a story and its service cannot run together', async () => {
  const port = await freePort();
  await folder.write(
    'failing.mjs',
    `export const failing = { name: 'failing', title: 'It fails', run: async () => { throw new Error('No stock.'); } };`,
  );
  const idle = [process.execPath, '-e', 'setInterval(() => {}, 1_000)'];
  const ready = `http://127.0.0.1:${port}/`;
  const listens = `require('node:http').createServer((_, answer) => answer.end()).listen(${port}, '127.0.0.1')`;
  const cases: readonly (readonly [options: readonly string[], command: readonly string[], message: string])[] = [
    [['--story', folder.at('none.mjs')], service, 'none.mjs does not exist; check the path.'],
    [['--story', 'flow-1'], service, 'has several scenarios: '],
    [['--ready', ready], service, '--ready belongs to --story'],
    [
      STORY,
      [process.execPath, '-e', 'console.error("no licence"); process.exit(3)'],
      'no licence\nNothing was tried. Your service ended with exit code 3 before its story did.',
    ],
    [STORY, ['no-such-program'], 'Your service ended with exit code 127 before its story did.'],
    [
      ['--story', folder.at('failing.mjs')],
      service,
      'Nothing was tried. The story failed: No stock. There was no misfortune: correct it first.',
    ],
    [
      [...STORY, '--ready', ready],
      [process.execPath, '-e', listens],
      'The command made no call in its rehearsal, so nothing can strike it. Let your service register a webhook,',
    ],
  ];
  for (const [options, command, message] of cases) {
    const { code, out, err } = await harden(options, command);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  }
  const [silent, unanswered] = await Promise.all([harden(STORY, idle), harden([...STORY, '--ready', ready], idle)]);
  expect(silent.err).toContain('Your service was not ready within 30 s: it registered no webhook in its rehearsal.');
  expect(unanswered.err).toContain(
    `Your service was not ready within 30 s: ${ready} gave no answer: connect ECONNREFUSED 127.0.0.1:${port}.`,
  );
}, 240_000);
