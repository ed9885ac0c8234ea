import { readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { someOf } from '../support/effort.ts';
import { eventually } from '../support/eventually.ts';
import { aFolder, copiedFixtures } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startRedis, whyNoRedis } from '../support/redis-server.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { bare, FREE_PORTS, MAIN, startEstate, started } from './started.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const FIXTURES = join(PROJECT, 'fixtures/');
const fixture = async (name: string) => JSON.parse(await readFile(join(FIXTURES, name), 'utf8'));
const own = (kind: string, scopes: readonly string[]) => ({ name: kind, kind, secret: `${kind}-that-only-we-know-about`, scopes });

const fatal: readonly (readonly [string, Readonly<Record<string, string>>, number, RegExp])[] = [
  ['an unknown SERVICE', { SERVICE: 'tills' }, 64, /SERVICE=tills .*oms, .*touchpoint-mock/],
  ['an application without Redis and Kafka', { SERVICE: 'oms' }, 78, /SERVICE=oms .*REDIS_URL and ESTATE_TOKEN and KAFKA/],
  ['a gateway without a pepper', { SERVICE: 'gateway', REDIS_URL: 'redis://h', ESTATE_TOKEN: 't'.repeat(32) }, 78, /CREDENTIAL_PEPPER/],
  [
    'a login without a password',
    { KAFKA_BROKERS: 'k:1', KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u' },
    78,
    /needs? KAFKA_SASL_PASSWORD_FILE too\./,
  ],
  [
    'two passwords for the brokers',
    {
      ...{ KAFKA_BROKERS: 'k:1', KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u' },
      ...{ KAFKA_SASL_PASSWORD: 'a', KAFKA_SASL_PASSWORD_FILE: 'b' },
    },
    78,
    /^KAFKA_SASL_PASSWORD and KAFKA_SASL_PASSWORD_FILE both have a password: remove one of them\.\n$/,
  ],
  ['certificates without TLS', { KAFKA_BROKERS: 'k:1', KAFKA_TLS_CA_FILE: 'ca.pem' }, 78, /^KAFKA_TLS_CA_FILE needs KAFKA_TLS=true\.\n$/],
  [
    'a missing file of certificates',
    { KAFKA_BROKERS: 'k:1', KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: '/none.pem' },
    78,
    /KAFKA_TLS_CA_FILE=\/none\.pem cannot be read: the file does not exist\./,
  ],
  [
    'a prefix without brokers',
    { KAFKA_PREFIX: 'team-a.' },
    78,
    /^KAFKA_PREFIX is for KAFKA_BROKERS: set the brokers too, or remove it\.\n$/,
  ],
  [
    'a prefix that no topic can have',
    { KAFKA_BROKERS: 'k:1', KAFKA_PREFIX: 'team a' },
    78,
    /KAFKA_PREFIX=team a cannot be used: it takes letters,/,
  ],
  ['demo credentials in production', { NODE_ENV: 'production' }, 78, /ALLOW_DEMO_CREDENTIALS=true/],
  ['demo credentials on a public address', { HOST: '0.0.0.0' }, 78, /HOST=0\.0\.0\.0 .*demo-integration.*ALLOW_DEMO/],
  ['the address of an application here', { OMS_URL: 'http://oms:8080' }, 78, /^OMS_URL is the address of another process, /],
  ['the address of another gateway', { GATEWAY_URL: 'http://gateway:8080' }, 78, /^GATEWAY_URL is the address of another process, /],
  ['PORT without SERVICE', { PORT: '9000' }, 78, /^PORT is for one application; .*GATEWAY_PORT/],
  ['missing fixtures', { FIXTURES_DIR: '/nowhere' }, 78, /^The folder \/nowhere does not exist; .*FIXTURES_DIR\.\n$/],
  ['a foreign PORTAL_HOST', { PORTAL_HOST: '192.0.2.1' }, 1, /^This machine does not have the address 192\.0\.2\.1; .*PORTAL_HOST\.\n$/],
];

/** Expects a start that stops with this exit code and without standard output. @returns the lines of the standard error */
async function expectRefused(environment: Readonly<Record<string, string>>, exitCode = 78): Promise<readonly string[]> {
  await using estate = startEstate(environment);
  expect([await estate.ended, estate.output.out]).toEqual([exitCode, '']);
  return estate.output.err.trim().split('\n');
}

test.each(someOf(fatal, 0.2))('A start stops with one sentence: %s', async (_what, environment, exitCode, sentence) => {
  const [line, ...more] = await expectRefused(environment, exitCode);
  expect(`${line}\n`).toMatch(sentence);
  expect(more).toEqual([]);
});

test('The configuration is refused with all its mistakes', async () => {
  const lines = await expectRefused({ GATEWAY_PORT: 'abc', MAX_REHEARSALS: '0', REDIS_URI: 'redis', JOURNAL: 'maybe' });
  expect(lines.map((line) => line.split(/[= ]/)[0]).toSorted()).toEqual(['GATEWAY_PORT', 'JOURNAL', 'MAX_REHEARSALS', 'REDIS_URI']);
});

test('Fixtures are refused with all their mistakes, each with file and pointer', async () => {
  const [lane, ...rest] = await fixture('stock.json');
  const stock = [{ ...lane, onHand: { mars: 1, moon: 1 } }, ...rest, { ...lane, sku: 'nothing' }];
  await using copy = await copiedFixtures({ 'stock.json': stock, 'touchpoint/02.json': {} });
  const text = (await expectRefused({ FIXTURES_DIR: copy.path })).join('\n');
  expect(text).toMatch(/stock\.json cannot be used: \/0\/onHand\/mars – there is no location/);
  expect(text).toMatch(/stock\.json cannot be used: \/\d+\/sku – there is no product "nothing"/);
  const ofMock = (await expectRefused({ SERVICE: 'touchpoint-mock', FIXTURES_DIR: copy.path })).join('\n');
  expect(ofMock).toMatch(/\/touchpoint\/02\.json cannot be used: \/\w+ – .*\.$/m);
});

test('Data that does not fit into the heap is refused with its bytes or its rows', async () => {
  const refused = async (file: string, text: string) => {
    await using own = await aFolder();
    await own.write(file, text);
    const env = { ...bare(), ...FREE_PORTS, FIXTURES_DIR: own.path };
    await using estate = started(process.execPath, ['--max-old-space-size=96', MAIN], { env });
    expect(await estate.ended).toBe(78);
    return estate.output.err;
  };
  const remedy = 'start the estate with a larger heap (NODE_OPTIONS=--max-old-space-size=…), or with fewer rows.\n';
  expect(await refused('products.overlay.json', `[${'{},'.repeat(30_000)}{}]`)).toMatch(/more than \d+ rows; /);
  const long = await refused('products.csv', `sku\n${'x'.repeat(5_000_000)}`);
  expect(long).toMatch(/products\.csv cannot be used: \/ – its folder has more than [\d.]+ MiB of data; /);
  expect(long).toContain(remedy);
});

test.each(someOf(['customers.json', 'touchpoint-authorization.json'], 0.5))('A start refuses a device as %s', async (file) => {
  await using copy = await copiedFixtures({});
  await rm(join(copy.path, file));
  await symlink('/dev/zero', join(copy.path, file));
  const lines = await expectRefused({ FIXTURES_DIR: copy.path });
  expect(lines).toEqual([expect.stringContaining(`${file} cannot be used: / – it is a device or a socket, and must be a file.`)]);
});

test.each([
  ['a device', '/dev/zero', 'it is a device or a socket, and must be a file.'],
  ['a folder', '/', 'it is a folder, and must be a file.'],
])('A start refuses %s as a file of certificates', async (_what, file, sentence) => {
  const variables = { KAFKA_BROKERS: 'k:1', KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: file };
  expect(await expectRefused(variables)).toEqual([`KAFKA_TLS_CA_FILE=${file} cannot be read: ${sentence}`]);
});

test.each(someOf<Record<string, string>>([{ HOST: '0.0.0.0' }, { HOST: '::' }, { NODE_ENV: 'production' }], 0.3))(
  'Fixtures with one demo credential left are refused: %j',
  async (environment) => {
    const [, ...rest] = await fixture('credentials.json');
    await using copy = await copiedFixtures({ 'credentials.json': [own('bearer', ['catalog']), ...rest] });
    const lines = await expectRefused({ ...environment, FIXTURES_DIR: copy.path });
    expect(lines).toEqual([
      expect.stringMatching(/\(demo-carrier, demo-control, carrier-webhook, demo-client\).*ALLOW_DEMO_CREDENTIALS=true/),
    ]);
  },
);

test.each(someOf(['GATEWAY_PORT', 'TOUCHPOINT_PORT', 'PORTAL_PORT'], 0.3))(
  'A taken %s is refused with port and variable',
  async (variable) => {
    await using taken = await serving(() => undefined);
    const { port } = new URL(taken.url);
    expect((await expectRefused({ [variable]: port }, 1)).join('\n')).toMatch(new RegExp(`Port ${port} is taken.*${variable}`));
  },
);

test('The touchpoint mock needs no other process, and takes its cases from FIXTURES_DIR, else from the project', async () => {
  const refused = await fixture('touchpoint/18.json');
  await using copy = await copiedFixtures({
    'touchpoint/18.json': { ...refused, response: { ...refused.response, error: 'Ask the store' } },
  });
  const answered = async () => {
    await using mock = startEstate({ SERVICE: 'touchpoint-mock', FIXTURES_DIR: copy.path });
    await mock.ready();
    const answer = await fetch(`${/mock: (\S+)/.exec(mock.output.out)?.[1]}/retail/touchpoint/basket/calculate`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-store-key', 'x-mock-case': '18' },
      body: '{"touchpointId":"SCO-01"}',
    });
    expect(await mock.stop()).toBe(0);
    return answer.json();
  };
  expect(await answered()).toMatchObject({ error: 'Ask the store' });
  await rm(copy.at('touchpoint'), { recursive: true });
  await rm(copy.at('touchpoint-authorization.json'));
  expect(await answered()).toMatchObject({ error: refused.response.error });
});

test('A start with own data names the default rows that it leaves out in sentences, also when its output is not a terminal', async () => {
  const [first] = (await fixture('products.json')) as readonly { readonly sku: string }[];
  await using folder = await aFolder();
  await folder.write('products.json', [first]);
  await using estate = startEstate({ FIXTURES_DIR: folder.path });
  await estate.ready();
  const [shown = ''] = estate.output.out.split('\n\n');
  expect(shown.split('\n')).toEqual(shown.split('\n').map(() => expect.stringMatching(/^Default rows of \S+\.json .*: \w/)));
  expect(shown).toContain('Default rows of stock.json that do not fit your data and are left out: ');
  expect(await estate.stop()).toBe(0);
});

test('A start on a public address with custom credentials shows none of them, and logs no warning', async () => {
  await using copy = await copiedFixtures({ 'credentials.json': [own('bearer', ['catalog', 'control']), own('api-key', ['catalog'])] });
  await using estate = startEstate({ HOST: '0.0.0.0', FIXTURES_DIR: copy.path });
  await estate.ready();
  expect(estate.output.out).toMatch(/Credentials +credentials\.json in the folder FIXTURES_DIR/);
  expect(estate.output.out).not.toMatch(/demo-(integration|carrier|control)|that-only-we-know|"level":40/);
  expect(await estate.stop()).toBe(0);
});

test('A start on a public address with demo credentials warns of them, and answers', async () => {
  await using estate = startEstate({ HOST: '0.0.0.0', ALLOW_DEMO_CREDENTIALS: 'true' });
  await estate.ready();
  expect(estate.output.out).toMatch(/"level":40.*"credentials":\["demo-integration",.*"host":"0\.0\.0\.0".*demo credentials are accepted/);
  expect((await fetch(`${estate.gateway()}/readyz`)).status).toBe(200);
  expect(await estate.stop()).toBe(0);
});

test('The banner has at most eight lines, with addresses and credentials that work; Ctrl-C ends the estate with 0', async () => {
  await using estate = startEstate();
  await estate.ready();
  const { out } = estate.output;
  expect(out.slice(out.indexOf('Unified commerce estate')).trimEnd().split('\n').length).toBeLessThanOrEqual(8);
  const [, gateway = ''] = /Gateway +(\S+)/.exec(out) ?? [];
  const addresses = [...out.matchAll(/(?:Console|Touchpoint|its portal) +(http\S+)/g)].map(([, address = '']) => address);
  expect(addresses).toHaveLength(3);
  for (const address of addresses) expect((await fetch(address)).status).toBeLessThan(500);
  const [, api = '', key = '', control = ''] =
    /Bearer (\S+) \(APIs\), X-API-Key (\S+) \(carrier\), Bearer (\S+) \(control plane\)/.exec(out) ?? [];
  const status = async (path: string, headers: Record<string, string>) => (await fetch(`${gateway}${path}`, { headers })).status;
  expect(await status('/customers/cus_ada', { authorization: `Bearer ${api}` })).toBe(200);
  expect(await status('/shipments/shp_none', { 'x-api-key': key })).toBe(404);
  expect(await status('/_control/clock', { authorization: `Bearer ${control}` })).toBe(200);
  expect(out).toContain(`--against ${gateway}`);
  expect([await estate.stop('SIGINT'), estate.output.err]).toEqual([0, '']);
});

test('An estate whose standard output has no reader answers, and stops on SIGTERM', async () => {
  await using estate = startEstate({ LOG_LEVEL: 'info' });
  await estate.ready();
  estate.child.stdout?.destroy();
  for (let times = 0; times < 20; times++) {
    expect((await fetch(`${estate.gateway()}/customers/cus_ada`, { signal: AbortSignal.timeout(5_000) })).status).toBe(401);
  }
  expect(await estate.stop()).toBe(0);
});

test.each([
  [
    'REDIS_URL',
    'redis://127.0.0.1:1',
    /No Redis can be reached at 127\.0\.0\.1:1: nothing listens there\. .*start it, or correct or remove REDIS_URL/,
  ],
  [
    'KAFKA_BROKERS',
    '127.0.0.1:1',
    /no broker can be reached at 127\.0\.0\.1:1: nothing listens there \(.*Start Kafka, or correct the variables that begin with KAFKA\./,
  ],
])('The log has one line, with the remedy and without a stack, when nothing listens at %s', async (variable, address, sentence) => {
  await using estate = startEstate({ [variable]: address });
  await eventually('the sentence', async () => sentence.test(estate.output.out));
  expect(await estate.stop()).toBe(0);
  expect(estate.output.out.split('\n').filter((line) => sentence.test(line))).toHaveLength(1);
  expect(estate.output.out).not.toMatch(/"stack"|ECONNREFUSED/);
});

if (whyNoRedis) skipWithoutRedis('a start with a Redis that starts later');
else
  test('An estate waits for a Redis that starts later, and warns in one sentence of its absence and of its loss', async () => {
    const port = String(await freePort());
    await using estate = startEstate({ REDIS_URL: `redis://127.0.0.1:${port}` });
    const warnings = (): readonly string[] => estate.output.out.split('\n').filter((line) => /^\{"level":[4-6]0/.test(line));
    await eventually('the absence is logged', async () => warnings().length > 0);
    let redis = await startRedis({ port });
    try {
      await estate.ready();
      expect((await fetch(`${estate.gateway()}/readyz`)).status).toBe(200);
      expect(warnings()).toEqual([expect.stringMatching(/No Redis can be reached at 127\.0\.0\.1:\d+: .*The estate waits for it/)]);
      await redis.stop();
      const lost = `The connection to the Redis at 127.0.0.1:${port} failed: nothing listens there. It is tried again.`;
      await eventually('the loss is logged', async () => warnings().some((line) => line.includes(lost)));
      expect(warnings().filter((line) => /ECONNREFUSED/.test(line) && !line.includes('"code":"ECONNREFUSED"'))).toEqual([]);
      redis = await startRedis({ port });
      expect(await estate.stop()).toBe(0);
    } finally {
      await redis.stop();
    }
  });

test('The log at a terminal has readable lines, without the stack of an injected fault', async () => {
  const env = { ...bare(), ...FREE_PORTS, TERM: 'xterm' };
  await using script = started('script', ['-qec', `${process.execPath} ${MAIN}`, '/dev/null'], { env });
  await script.ready();
  const rehearsal = await rehearsalAt(script.gateway());
  await rehearsal.down('promotion-engine');
  await rehearsal.basket();
  const find = async () => script.output.out.split('\n').find((text) => text.includes('priced without promotions'));
  expect(await eventually('the line', find)).toMatch(
    /^\d\d:\d\d:\d\d {2}WARN {3}ecommerce-platform {2}Promotion Engine unavailable: .*fault down/,
  );
  expect(script.output.out).not.toMatch(/^\s+at /m);
  await script.stop();
});

test('Ctrl-C ends npm start with 0, although the process receives the signal from the terminal and from npm', async () => {
  const env = { ...bare(), HOME: process.env['HOME'], ...FREE_PORTS };
  await using npm = started('npm', ['start'], { cwd: PROJECT, env, detached: true });
  await npm.ready();
  // A terminal sends the signal to the whole group of processes.
  process.kill(-(npm.child.pid ?? 0), 'SIGINT');
  expect(await npm.ended).toBe(0);
  await expect(fetch(`${npm.gateway()}/healthz`)).rejects.toThrow();
});

test('Ctrl-C does not wait for clients that wait for an event, at a barrier or for a slow answer', async () => {
  await using estate = startEstate();
  await estate.ready();
  const { call, client, fault, faults } = await rehearsalAt(estate.gateway());
  await fault('slow', { match: { api: 'get-customer-api' }, fault: { kind: 'latency', ms: 60_000 } });
  await fault('together', { match: { api: 'get-order-api' }, fault: { kind: 'barrier', parties: 30 } });
  const waiting = client.control('wait-for-events', { body: { type: 'order-created', timeoutMs: 10_000 } });
  const slow = call('get-customer-api', { params: { id: 'cus_ada' } });
  const parked = Array.from({ length: 20 }, () => client.call('GET', '/orders/ord_none'));
  await eventually('the faults struck', async () => (await faults()).map(({ hits }) => hits).join() === '1,20');
  const began = performance.now();
  expect(await estate.stop('SIGINT')).toBe(0);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(await waiting).toMatchObject({ found: false, items: [] });
  expect((await slow).status).toBe(200);
  expect(new Set((await Promise.all(parked)).map(({ status }) => status))).toEqual(new Set([504]));
  expect(estate.output.err).toBe('');
});
