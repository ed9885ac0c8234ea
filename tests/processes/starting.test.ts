import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { someOf } from '../support/effort.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

const MAIN = fileURLToPath(new URL('../../estate/main.ts', import.meta.url));
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const FREE_PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };

/** Nothing of this process's environment but where programs are, and where their compiled code is kept. */
const kept = ({ PATH, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv) => ({ PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) });

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the estate on free ports, as a user would, and collects its output. */
function start(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...kept(process.env), ...FREE_PORTS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  const ended = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const ready = () => eventually('the banner', async () => said.out.includes('Stop with Ctrl-C'));
  const gateway = (): string => /gateway\s+(\S+)/.exec(said.out)?.[1] ?? '';
  return { child, said, ended, ready, gateway };
}

const fatal: readonly (readonly [string, Readonly<Record<string, string>>, number, RegExp])[] = [
  ['an unknown SERVICE', { SERVICE: 'tills' }, 64, /SERVICE=tills .*oms, .*touchpoint-mock/],
  [
    'one application without its shared infrastructure',
    { SERVICE: 'oms' },
    78,
    /SERVICE=oms .*REDIS_URL and ESTATE_TOKEN and KAFKA_BROKERS/,
  ],
  ['a gateway without a pepper', { SERVICE: 'gateway', REDIS_URL: 'redis://h', ESTATE_TOKEN: 't'.repeat(32) }, 78, /CREDENTIAL_PEPPER/],
  ['a short token', { ESTATE_TOKEN: 'tooshort' }, 78, /^ESTATE_TOKEN cannot be used: it takes 32 characters or more\.\n$/],
  ['brokers without a port', { KAFKA_BROKERS: 'kafka' }, 78, /KAFKA_BROKERS=kafka cannot be used: it takes host:port/],
  ['a broker at no port', { KAFKA_BROKERS: 'kafka:99999' }, 78, /^KAFKA_BROKERS=kafka:99999 cannot be used: it takes host:port, /],
  [
    'a database of Redis without number',
    { REDIS_URL: 'redis://h/abc' },
    78,
    /^REDIS_URL cannot be used: it takes redis:.* a number as db, /,
  ],
  [
    'headers that are none',
    { OTEL_EXPORTER_OTLP_HEADERS: 'junk' },
    78,
    /^OTEL_EXPORTER_OTLP_HEADERS cannot be used: it takes name=value, /,
  ],
  ['a way of calls that is none', { TRANSPORT: 'grpc' }, 78, /^TRANSPORT=grpc cannot be used: it takes one of process, http\.\n$/],
  ['an application at no address', { OMS_URL: 'oms' }, 78, /OMS_URL=oms cannot be used/],
  ['a slip of the pen', { REDIS_HOST: 'redis' }, 78, /REDIS_HOST is not a variable of the estate; variables with REDIS_ are REDIS_URL\./],
  ['a bad variable', { GATEWAY_PORT: 'http' }, 78, /GATEWAY_PORT=http/],
  ['demo credentials in production', { NODE_ENV: 'production' }, 78, /ALLOW_DEMO_CREDENTIALS=true/],
  ['demo credentials that others could use', { HOST: '0.0.0.0' }, 78, /HOST=0\.0\.0\.0 .*demo-integration.*ALLOW_DEMO_CREDENTIALS=true/],
  [
    'the address of an application beside it',
    { OMS_URL: 'http://oms:8080' },
    78,
    /^OMS_URL is the address of another process, .* in this one/,
  ],
  [
    'the address of another gateway',
    { GATEWAY_URL: 'http://gateway:8080' },
    78,
    /^GATEWAY_URL is the address of another process, .* SERVICE\.\n$/,
  ],
  ['the port of an application by itself', { PORT: '9000' }, 78, /^PORT is for one application; .*GATEWAY_PORT/],
  ['a host with a port', { ALLOWED_HOSTS: 'estate.example.com:8080' }, 78, /ALLOWED_HOSTS=.* it takes names without port/],
  ['no duration', { REHEARSAL_IDLE_EXPIRY: '24h' }, 78, /REHEARSAL_IDLE_EXPIRY=24h cannot be used: it takes an ISO 8601 duration/],
  ['room for no rehearsal', { MAX_REHEARSALS: '0' }, 78, /MAX_REHEARSALS=0 cannot be used/],
  [
    'fixtures that are not there',
    { FIXTURES_DIR: '/nowhere' },
    78,
    /^The folder \/nowhere does not exist; correct or remove FIXTURES_DIR\.\n$/,
  ],
  [
    'a port that is no number',
    { GATEWAY_PORT: 'abc' },
    78,
    /^GATEWAY_PORT=abc cannot be used: it takes a whole number from 0 to 65535\.\n$/,
  ],
  [
    'a store key that fits into no header',
    { MOCK_STORE_KEY: 'abc  defgh' },
    78,
    /^MOCK_STORE_KEY.* cannot be used: it takes visible ASCII without blanks, to fit into a header\.\n$/,
  ],
  [
    'an address of the portal that this machine does not have',
    { PORTAL_HOST: '192.0.2.1' },
    1,
    /^This machine does not have the address 192\.0\.2\.1; choose another one with PORTAL_HOST\.\n$/,
  ],
  ['an unknown level of the log', { LOG_LEVEL: 'loud' }, 78, /^LOG_LEVEL=loud cannot be used: it takes one of trace, debug, .*silent\.\n$/],
];

describe('A start with a fatal error', () => {
  test.each(someOf(fatal, 0.2))('stops for %s with one sentence that names it', async (_what, environment, exitCode, sentence) => {
    const { ended, said } = start(environment);
    expect(await ended).toBe(exitCode);
    expect(said.err).toMatch(sentence);
    expect(said.err.trim().split('\n')).toHaveLength(1);
    expect(said.out).toBe('');
  });

  test('names all mistakes of the configuration at once', async () => {
    const { ended, said } = start({ GATEWAY_PORT: 'abc', MAX_REHEARSALS: '0', REDIS_HOST: 'redis', JOURNAL: 'maybe' });
    expect(await ended).toBe(78);
    expect(
      said.err
        .trim()
        .split('\n')
        .map((line) => line.split(/[= ]/)[0])
        .toSorted(),
    ).toEqual(['GATEWAY_PORT', 'JOURNAL', 'MAX_REHEARSALS', 'REDIS_HOST']);
  });

  test('names all mistakes of the fixtures at once', async () => {
    await using copy = await copiedFixtures();
    const [lane, ...rest] = JSON.parse(await readFile(join(copy.directory, 'stock.json'), 'utf8')) as object[];
    await writeFile(
      join(copy.directory, 'stock.json'),
      JSON.stringify([{ ...lane, onHand: { mars: 1, moon: 1 } }, ...rest, { ...lane, sku: 'nothing' }]),
    );
    const { ended, said } = start({ FIXTURES_DIR: copy.directory });
    expect(await ended).toBe(78);
    expect(said.err).toMatch(/stock\.json cannot be used: \/0\/onHand\/mars – there is no location/);
    expect(said.err).toMatch(/stock\.json cannot be used: \/\d+\/sku – there is no product "nothing"/);
  });

  test.each(someOf(['GATEWAY_PORT', 'TOUCHPOINT_PORT', 'PORTAL_PORT'], 0.3))(
    'stops for a taken %s, naming port and variable',
    async (variable) => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as { port: number };
      const { ended, said } = start({ [variable]: String(port) });
      expect(await ended).toBe(1);
      expect(said.err).toContain(`Port ${port} is taken`);
      expect(said.err).toContain(variable);
      taken.close();
    },
  );

  test('stops for a broken fixture, naming file and pointer', async () => {
    await using copy = await copiedFixtures();
    await writeFile(join(copy.directory, 'locations.json'), JSON.stringify([{ id: 'dc-01' }]));
    const { ended, said } = start({ FIXTURES_DIR: copy.directory });
    expect(await ended).toBe(78);
    for (const line of said.err.trim().split('\n')) expect(line).toMatch(/\/locations\.json cannot be used: \/0\/\w+ – .*\.$/);
  });

  test.each<Record<string, string>>([{}, { SERVICE: 'touchpoint-mock' }])(
    'stops for a broken answer of the touchpoint mock, with %j',
    async (environment) => {
      await using copy = await copiedFixtures();
      await writeFile(join(copy.directory, 'touchpoint', '02.json'), '{}');
      const { ended, said } = start({ ...environment, FIXTURES_DIR: copy.directory });
      expect(await ended).toBe(78);
      for (const line of said.err.trim().split('\n')) expect(line).toMatch(/\/touchpoint\/02\.json cannot be used: \/\w+ – .*\.$/);
    },
  );

  test.each(someOf<Record<string, string>>([{ HOST: '0.0.0.0' }, { HOST: '::' }, { NODE_ENV: 'production' }], 0.3))(
    'stops for a copy of the fixtures that still has demo credentials, with %j',
    async (environment) => {
      await using copy = await copiedFixtures();
      const [, ...rest] = JSON.parse(await readFile(join(copy.directory, 'credentials.json'), 'utf8')) as object[];
      const own = { name: 'ours', kind: 'bearer', secret: 'a-token-that-only-we-know', scopes: ['catalog'] };
      await writeFile(join(copy.directory, 'credentials.json'), JSON.stringify([own, ...rest]));
      const { ended, said } = start({ ...environment, FIXTURES_DIR: copy.directory });
      expect(await ended).toBe(78);
      expect(said.err).toMatch(/\(demo-carrier, demo-control, carrier-webhook\).*ALLOW_DEMO_CREDENTIALS=true/);
      expect(said.err.trim().split('\n')).toHaveLength(1);
    },
  );
});

describe('The answers of the touchpoint mock', () => {
  const answered = async (fixtures: string) => {
    const { ready, said } = start({ SERVICE: 'touchpoint-mock', FIXTURES_DIR: fixtures });
    await ready();
    const answer = await fetch(`${/mock: (\S+)/.exec(said.out)?.[1]}/retail/touchpoint/basket/calculate`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-store-key', 'x-mock-case': '18' },
      body: '{"touchpointId":"SCO-01"}',
    });
    return (await answer.json()) as object;
  };

  test('are those of FIXTURES_DIR, or those of the project where it has none', async () => {
    await using copy = await copiedFixtures();
    const file = join(copy.directory, 'touchpoint', '18.json');
    const refused = JSON.parse(await readFile(file, 'utf8')) as { response: { error: string } };
    await writeFile(file, JSON.stringify({ ...refused, response: { ...refused.response, error: 'Ask the store' } }));
    expect(await answered(copy.directory)).toMatchObject({ error: 'Ask the store' });
    await rm(join(copy.directory, 'touchpoint'), { recursive: true });
    await rm(join(copy.directory, 'touchpoint-authorization.json'));
    expect(await answered(copy.directory)).toMatchObject({ error: refused.response.error });
  });
});

describe('The text of a start', () => {
  test('shows the demo credentials that are accepted, and no others', async () => {
    await using copy = await copiedFixtures();
    const own = (kind: string, scopes: readonly string[]) => ({ name: kind, kind, secret: `${kind}-that-only-we-know-about`, scopes });
    const credentials = [own('bearer', ['catalog', 'control']), own('api-key', ['catalog'])];
    await writeFile(join(copy.directory, 'credentials.json'), JSON.stringify(credentials));
    const [ours, theirs] = [start({ FIXTURES_DIR: copy.directory }), start({})];
    await Promise.all([ours.ready(), theirs.ready()]);
    expect(ours.said.out).toContain('credentials  the credentials in credentials.json of the folder FIXTURES_DIR');
    expect(ours.said.out).not.toMatch(/demo-(integration|carrier|sim)|that-only-we-know/);
    expect(theirs.said.out).toMatch(/Bearer demo-integration-token .*for the APIs\n.*demo-carrier-key .*\n.*demo-control-token/);
  });
});

describe('An estate whose standard output has no reader any more', () => {
  test('answers, and stops when it is asked to', async () => {
    const { child, ready, gateway, ended } = start({ LOG_LEVEL: 'info' });
    await ready();
    child.stdout?.destroy();
    for (let times = 0; times < 20; times++) {
      const refused = await fetch(`${gateway()}/customers/cus_ada`, { signal: AbortSignal.timeout(5_000) });
      expect(refused.status).toBe(401);
    }
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

/** The project's fixtures in a folder of the test. */
async function copiedFixtures() {
  const directory = await mkdtemp(join(tmpdir(), 'fixtures-'));
  await cp(FIXTURES, directory, { recursive: true });
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

describe('A start on a public address', () => {
  test('warns of allowed demo credentials, and answers', async () => {
    const estate = start({ HOST: '0.0.0.0', ALLOW_DEMO_CREDENTIALS: 'true' });
    await estate.ready();
    expect(estate.said.out).toMatch(/"level":40.*"credentials":\["demo-integration",.*"host":"0\.0\.0\.0".*demo credentials are accepted/);
    expect((await fetch(`${estate.gateway()}/readyz`)).status).toBe(200);
    estate.child.kill('SIGTERM');
    expect(await estate.ended).toBe(0);
  });

  test('does not warn when the credentials are custom', async () => {
    await using copy = await copiedFixtures();
    const own = { name: 'ours', kind: 'bearer', secret: 'a-token-that-only-we-know', scopes: ['catalog', 'control'] };
    await writeFile(join(copy.directory, 'credentials.json'), JSON.stringify([own]));
    const estate = start({ HOST: '0.0.0.0', FIXTURES_DIR: copy.directory });
    await estate.ready();
    expect(estate.said.out).not.toContain('"level":40');
    estate.child.kill('SIGTERM');
    expect(await estate.ended).toBe(0);
  });
});

describe('A start', () => {
  if (whyNoRedis) skipWithoutRedis('a start with a Redis that comes up late');
  else {
    test('with a Redis that comes up late warns of it in one sentence, and then answers; of one that is lost, it warns in words', async () => {
      const port = String(await freePort());
      const estate = start({ REDIS_URL: `redis://127.0.0.1:${port}` });
      const warnings = (): readonly string[] => estate.said.out.split('\n').filter((line) => /^\{"level":[4-6]0/.test(line));
      await eventually('the wait is told', async () => warnings().length > 0, 60_000);
      let redis = await startRedis({ port });
      try {
        await eventually('the banner', async () => estate.said.out.includes('Stop with Ctrl-C'), 60_000);
        expect((await fetch(`${estate.gateway()}/readyz`)).status).toBe(200);
        expect(warnings()).toEqual([expect.stringMatching(/No Redis can be reached at 127\.0\.0\.1:\d+: .*The estate waits for it/)]);
        await redis.stop();
        const lost = `The connection to the Redis at 127.0.0.1:${port} failed: nothing listens there. It is tried again.`;
        await eventually('the loss is told', async () => warnings().some((line) => line.includes(lost)), 60_000);
        expect(warnings().filter((line) => /ECONNREFUSED/.test(line) && !line.includes('"code":"ECONNREFUSED"'))).toEqual([]);
        redis = await startRedis({ port });
        estate.child.kill('SIGTERM');
        expect(await estate.ended).toBe(0);
      } finally {
        await redis.stop();
      }
    }, 180_000);
  }

  test('prints a banner with addresses, credentials and lines to copy that work; Ctrl-C ends it with exit code 0', async () => {
    const estate = start({});
    await estate.ready();
    expect(estate.said.out).toContain('demo-integration-token');
    const lines = estate.said.out.match(/^ {4}.*curl .*$/gm) ?? [];
    expect(lines).toHaveLength(3);
    const { stdout } = await promisify(execFile)('bash', ['-c', `{\n${lines.join('\n')}\n} 2>&1 | cat`]);
    expect(stdout).toMatch(
      /"state":"open"[\s\S]*"state":"converted"[\s\S]*"state":"authorised"[\s\S]*"state":"confirmed"[\s\S]*"holds":true/,
    );
    expect((await fetch(`${estate.gateway()}/products/mug-blue`)).status).toBe(200);
    expect((await fetch(`${estate.gateway()}/readyz`)).status).toBe(200);
    estate.child.kill('SIGINT');
    expect(await estate.ended).toBe(0);
    expect(estate.said.err).toBe('');
  });

  test('succeeds again on the same ports', async () => {
    const first = start({});
    await first.ready();
    const { port } = new URL(first.gateway());
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = start({ GATEWAY_PORT: port });
    await second.ready();
    expect((await fetch(`${second.gateway()}/readyz`)).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(second.said.err).toBe('');
  });

  test('of an application without its Redis waits for it, logs this once, and ends on request', async () => {
    const port = await freePort();
    const alone = start({
      ...{ SERVICE: 'oms', PORT: String(port), LOG_LEVEL: 'info', ESTATE_TOKEN: 't'.repeat(32) },
      ...{ REDIS_URL: 'redis://127.0.0.1:1', KAFKA_BROKERS: '127.0.0.1:1' },
    });
    const readiness = await eventually('an answer', () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined));
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({
      status: 'not ready',
      waitingFor: [expect.stringMatching(/^redis: /), expect.stringMatching(/^kafka: /)],
    });
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    await eventually('the missing dependency is logged', async () => alone.said.out.includes('127.0.0.1:1'));
    alone.child.kill('SIGTERM');
    expect(await alone.ended).toBe(0);
    expect(alone.said.out).not.toContain('"msg":"ready"');
    expect(alone.said.out.match(/"waitingFor":"redis"/g)?.length ?? 0).toBeLessThan(3);
  });

  test('of the touchpoint mock alone has no dependencies', async () => {
    const alone = start({ SERVICE: 'touchpoint-mock' });
    await alone.ready();
    const mock = /Touchpoint mock: (\S+)/.exec(alone.said.out)?.[1] ?? '';
    const answer = await fetch(`${mock}/caso02`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-store-key' },
      body: '{"touchpointId":"SCO-01"}',
    });
    expect(answer.status).toBe(200);
    alone.child.kill('SIGTERM');
    expect(await alone.ended).toBe(0);
  });

  test('of the estate names every application', async () => {
    const estate = start({});
    await estate.ready();
    for (const application of applicationNames) expect(estate.said.out.toLowerCase()).toContain(application.split('-')[0]);
    estate.child.kill('SIGTERM');
    await estate.ended;
  });
});

describe('The log of a start', () => {
  test.each([
    [
      'Redis',
      { REDIS_URL: 'redis://127.0.0.1:1' },
      /No Redis can be reached at 127\.0\.0\.1:1: nothing listens there\. .*start it, or correct or remove REDIS_URL/,
    ],
    [
      'Kafka',
      { KAFKA_BROKERS: '127.0.0.1:1' },
      /no broker can be reached at 127\.0\.0\.1:1: nothing listens there \(.*Start Kafka, or correct or remove KAFKA_BROKERS/,
    ],
  ])('says once, with the remedy and without a stack, that %s is away', async (_what, environment, sentence) => {
    const estate = start(environment);
    await eventually('the sentence', async () => sentence.test(estate.said.out));
    estate.child.kill('SIGTERM');
    expect(await estate.ended).toBe(0);
    expect(estate.said.out.split('\n').filter((line) => sentence.test(line))).toHaveLength(1);
    expect(estate.said.out).not.toContain('"stack"');
    expect(estate.said.out).not.toContain('ECONNREFUSED');
  });

  test('has readable lines at a terminal, and an injected fault in it has no stack', async () => {
    const script = spawn('script', ['-qec', `${process.execPath} ${MAIN}`, '/dev/null'], {
      env: { ...kept(process.env), ...FREE_PORTS, TERM: 'xterm' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(script);
    let said = '';
    script.stdout.on('data', (chunk: Buffer) => {
      said += stripVTControlCharacters(chunk.toString());
    });
    await eventually('the banner', async () => said.includes('Stop with Ctrl-C'));
    const gateway = /gateway\s+(\S+)/.exec(said)?.[1] ?? '';
    const json = { 'content-type': 'application/json' };
    await fetch(`${gateway}/_control/faults/away`, {
      method: 'PUT',
      headers: { ...json, authorization: 'Bearer demo-control-token' },
      body: JSON.stringify({ match: { application: 'promotion-engine' }, fault: { kind: 'outage' } }),
    });
    await fetch(`${gateway}/baskets`, {
      method: 'POST',
      headers: { ...json, authorization: 'Bearer demo-integration-token' },
      body: JSON.stringify({ channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] }),
    });
    await eventually('the line', async () => said.includes('priced without promotions'));
    const [line] = said.split('\n').filter((text) => text.includes('priced without promotions'));
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}WARN {3}ecommerce-platform {2}Promotion Engine unavailable: .*fault away/);
    expect(said).not.toMatch(/^\s+at /m);
    const ended = once(script, 'exit');
    script.kill('SIGTERM');
    await ended;
  });
});

describe('Ctrl-C', () => {
  test('ends npm start with exit code 0, although the process receives the signal twice, from the terminal and from npm', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: PROJECT,
      env: { ...kept(process.env), HOME: process.env['HOME'], ...FREE_PORTS },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(npm);
    let said = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = once(npm, 'exit');
    await eventually('the banner', async () => said.includes('Stop with Ctrl-C'));
    const gateway = /gateway\s+(\S+)/.exec(said)?.[1] ?? '';
    // A terminal sends it to the whole group of processes.
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    expect(await ended).toEqual([0, null]);
    running.delete(npm);
    await expect(fetch(`${gateway}/healthz`)).rejects.toThrow();
  });

  test('does not wait for clients that wait for an event, at a barrier or for a slow answer', async () => {
    const estate = start({});
    await estate.ready();
    const json = { 'content-type': 'application/json' };
    const sim = (method: string, path: string, body: object) =>
      fetch(`${estate.gateway()}/_control${path}`, {
        method,
        headers: { ...json, authorization: 'Bearer demo-control-token' },
        body: JSON.stringify(body),
      });
    const read = (path: string) => fetch(`${estate.gateway()}${path}`, { headers: { authorization: 'Bearer demo-integration-token' } });
    await sim('PUT', '/faults/slow', { match: { api: 'get-customer-api' }, fault: { kind: 'latency', ms: 60_000 } });
    await sim('PUT', '/faults/together', { match: { api: 'get-order-api' }, fault: { kind: 'barrier', parties: 30 } });
    const waiting = sim('POST', '/events/wait', { type: 'order-created', timeoutMs: 10_000 });
    const slow = read('/customers/cus_ada');
    const parked = Array.from({ length: 20 }, () => read('/orders/ord_none'));
    await eventually('the faults struck', async () => {
      const listed = await fetch(`${estate.gateway()}/_control/faults`, { headers: { authorization: 'Bearer demo-control-token' } });
      const { items } = (await listed.json()) as { items: { hits: number }[] };
      return items.map(({ hits }) => hits).join() === '1,20';
    });
    const started = performance.now();
    estate.child.kill('SIGINT');
    expect(await estate.ended).toBe(0);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(await (await waiting).json()).toMatchObject({ found: false, items: [] });
    expect((await slow).status).toBe(200);
    for (const answer of await Promise.all(parked)) expect(answer.status).toBe(504);
    expect(estate.said.err).toBe('');
  });
});
