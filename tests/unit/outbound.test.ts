import dns from 'node:dns';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { readConfiguration } from '../../estate/configuration.ts';
import { createOutbound, DEFAULT_OUTBOUND, type OwnListener, outboundAllow } from '../../shared/http/outbound.ts';
import { serving } from '../conform/serving.ts';

const outboundOf = (allow: string, own: readonly OwnListener[] = []) => {
  const read = outboundAllow(allow);
  if (!read) throw new Error(`${allow} cannot be read.`);
  return createOutbound({ allow: read, own: () => own });
};

const check = (allow: string, url: string, own?: readonly OwnListener[]): Promise<string> =>
  outboundOf(allow, own)
    .check(url)
    .then(
      ({ hostname }) => hostname,
      (error: Error) => error.message,
    );

test.each(['loopback', '10.1.0.0/16', '10.1.2.3', 'fd00::/8', '*.team-a.svc', 'shop', 'loopback, private ,public', DEFAULT_OUTBOUND])(
  'The list %s is accepted',
  (text) => expect(outboundAllow(text)).toBeDefined(),
);

test.each(['', 'loopback,', '10.0.0.0/33', '10.0.0', '*', '*.*.svc', 'http://shop', 'shop:3000', 'a b', '::/129', '999.1.1.1'])(
  'The list "%s" is refused',
  (text) => expect(outboundAllow(text)).toBeUndefined(),
);

test('A wrong list stops the start, with the variable and what it takes', () => {
  expect(() => readConfiguration({ OUTBOUND_ALLOW: 'http://shop' })).toThrow(
    'OUTBOUND_ALLOW=http://shop cannot be used: it takes names (also *.team-a.svc), networks',
  );
});

test.each([
  ['loopback', 'http://127.0.0.1:3000', '127.0.0.1'],
  ['loopback', 'http://localhost.:3000', 'localhost.'],
  ['loopback', 'http://2130706433:3000', '127.0.0.1'],
  ['loopback', 'http://0177.0.0.1:3000', '127.0.0.1'],
  ['loopback', 'http://0x7f.1:3000', '127.0.0.1'],
  ['loopback', 'http://[::1]:3000', '[::1]'],
  ['loopback', 'http://[::ffff:127.0.0.1]:3000', '[::ffff:7f00:1]'],
  ['private', 'http://10.0.0.1', '10.0.0.1'],
  ['private', 'http://192.168.1.1', '192.168.1.1'],
  ['private', 'http://[fd12::1]', '[fd12::1]'],
  ['public', 'https://1.1.1.1', '1.1.1.1'],
  ['10.1.0.0/16', 'http://10.1.255.1', '10.1.255.1'],
  ['*.team-a.invalid', 'http://shop.team-a.invalid', 'shop.team-a.invalid'],
  ['host.docker.internal', 'http://HOST.docker.internal.:3000', 'host.docker.internal.'],
])('With %s, the address %s is allowed', async (allow, url, host) => expect(await check(allow, url)).toBe(host));

test.each([
  ['private,public', 'http://127.0.0.1:3000', 'loopback addresses are not in OUTBOUND_ALLOW'],
  ['loopback,public', 'http://10.0.0.1', 'private addresses are not in OUTBOUND_ALLOW'],
  ['loopback,private', 'http://1.1.1.1', 'public addresses are not in OUTBOUND_ALLOW'],
  ['10.1.0.0/16', 'http://10.2.0.1', 'private addresses'],
  ['loopback', 'http://[::ffff:10.0.0.1]', 'private addresses'],
  ['loopback', 'http://shop.invalid', 'this name is unknown, and not in OUTBOUND_ALLOW'],
  ['*.team-a.invalid', 'http://team-a.invalid', 'this name is unknown'],
  ['loopback,private,public,169.254.0.0/16', 'http://169.254.169.254', 'link-local'],
  ['loopback,private,public', 'http://[::ffff:169.254.169.254]', 'link-local'],
  ['loopback,private,public', 'http://[::ffff:a9fe:a9fe]', 'link-local'],
  ['loopback,private,public', 'http://2852039166', 'link-local'],
  ['loopback,private,public', 'http://[fe80::1]', 'link-local'],
  ['loopback,private,public', 'http://[fd00:ec2::254]', 'special address'],
  ['loopback,private,public', 'http://0.0.0.0:3000', 'special address'],
  ['loopback,private,public', 'http://[::]:3000', 'special address'],
  ['loopback,private,public', 'http://[64:ff9b::a9fe:a9fe]', 'special address'],
  ['loopback,private,public', 'http://255.255.255.255', 'special address'],
  ['loopback', 'http://user@127.0.0.1', 'a user or a password'],
  ['loopback', 'http://127.0.0.1/#here', 'fragment'],
  ['loopback', 'file:///etc/passwd', 'is not an address'],
  ['loopback', 'ws://127.0.0.1', 'is not an address'],
  ['loopback', '//127.0.0.1', 'is not an address'],
])('With %s, the address %s is refused', async (allow, url, reason) => expect(await check(allow, url)).toContain(reason));

/** Addresses that no list allows, by their kind. */
const NEVER_CALLED = {
  'metadata of a cloud': [
    ...['168.63.129.16', '192.0.0.192', '100.100.100.200', '169.254.42.42', '169.254.170.2'],
    ...['[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[fd00:c1::a9fe:a9fe]', '[fd00:42::42]', '[fd00:a9fe:a9fe::1]'],
  ],
  'an IPv4 address within an IPv6 one': [
    ...['[::a9fe:a9fe]', '[::169.254.169.254]', '[::10.0.0.1]', '[::7f00:1]', '[::ffff:0:a9fe:a9fe]', '[::ffff:0:169.254.169.254]'],
    ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a9fe:a9fe]', '[64:ff9b:1:fffe::10.0.0.1]', '[2002:a9fe:a9fe::1]', '[2001::a9fe:a9fe]'],
  ],
  'a special IPv4 address': [
    ...['0.1.2.3', '192.0.0.1', '192.0.0.170', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ],
  'a special IPv6 address': [
    ...['[::2]', '[100::1]', '[100:0:0:1::1]', '[2001:1::1]', '[2001:2::1]', '[2001:20::1]', '[2001:db8::1]', '[2620:4f:8000::1]'],
    ...['[3fff::1]', '[4000::1]', '[5f00::1]', '[fe00::1]', '[fec0::1]', '[ff02::1]', '[0200::1]', '[8000::1]'],
  ],
};

test.each(Object.entries(NEVER_CALLED).flatMap(([kind, hosts]) => hosts.map((host) => [host, kind] as const)))(
  'The address %s is never called: it is %s',
  async (host) => {
    const bare = host.replace(/[[\]]/g, '');
    const everything = `loopback,private,public,0.0.0.0/0,::/0,${bare}`;
    expect(await check(everything, `http://${host}`)).toContain('link-local or special address, which the estate never calls');
    expect(await requested(outboundOf(everything), `http://${host}:3000`)).toContain('which the estate never calls');
  },
);

test.each([
  ['private', 'http://198.18.0.1', '198.18.0.1'],
  ['private', 'http://100.64.0.1', '100.64.0.1'],
  ['private', 'http://[fd20:cf::1]', '[fd20:cf::1]'],
  ['public', 'http://[2001:4860:4860::8888]', '[2001:4860:4860::8888]'],
  ['public', 'http://[2a00:1450::1]', '[2a00:1450::1]'],
  ['public', 'http://192.0.1.1', '192.0.1.1'],
])('With %s, the ordinary address %s beside special ones is allowed', async (allow, url, host) =>
  expect(await check(allow, url)).toBe(host),
);

test.each([
  ['this process', { port: 8080 }, 'http://127.0.0.1:8080'],
  ['this process, by a name', { port: 8080 }, 'http://localhost:8080'],
  ['this process, by another loopback address', { port: 8080 }, 'http://127.9.9.9:8080'],
  ['another process, by its address', { host: '127.0.0.5', port: 6379 }, 'http://127.0.0.5:6379'],
  ['another process, by its name', { host: 'oms.invalid', port: 8080 }, 'http://oms.invalid:8080'],
  ['the port that a scheme implies', { port: 443 }, 'https://127.0.0.1'],
])('A listener of %s is refused whatever the list allows', async (_listener, own, url) =>
  expect(await check('loopback,private,public,*.invalid', url, [own])).toContain('a listener of the estate itself'),
);

test('Another port of this machine is allowed', async () =>
  expect(await check('loopback', 'http://127.0.0.1:8081', [{ port: 8080 }])).toBe('127.0.0.1'));

async function aServer() {
  let requests = 0;
  const server = await serving((_request, response) => {
    requests += 1;
    response.end('here');
  });
  return { ...server, port: new URL(server.url).port, requests: (): number => requests };
}

/** One request, as a delivery makes it. @returns the status, or the reasons of the refusal */
async function requested(outbound: ReturnType<typeof outboundOf>, address: string): Promise<string> {
  try {
    const { url, agent } = await outbound.agentFor(address);
    const { statusCode, body } = await request(url, { dispatcher: agent });
    await body.dump();
    return String(statusCode);
  } catch (error) {
    return (error as Error).message;
  }
}

test('A connection to an allowed name and to an allowed literal is made', async () => {
  await using server = await aServer();
  const outbound = outboundOf('loopback');
  const names = ['localhost', '127.0.0.1'];
  expect(await Promise.all(names.map((name) => requested(outbound, `http://${name}:${server.port}`)))).toEqual(['200', '200']);
  await outbound.close();
});

test('A name that was allowed and then changes to a refused address is not connected to', async () => {
  await using server = await aServer();
  const outbound = outboundOf('*.example.invalid,public');
  const url = `http://rebound.example.invalid:${server.port}`;
  await outbound.check(url);
  const { lookup } = dns;
  // Only the resolver is replaced: the name has no address outside this test.
  const rebound = (_name: string, _options: object, callback: (error: null, addresses: object[]) => void) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const { createRequire, syncBuiltinESMExports } = await import('node:module');
  const real = createRequire(import.meta.url)('node:dns') as { lookup: unknown };
  real.lookup = rebound;
  syncBuiltinESMExports();
  try {
    expect(await requested(outbound, url)).toContain('loopback addresses are not in OUTBOUND_ALLOW');
  } finally {
    real.lookup = lookup;
    syncBuiltinESMExports();
    await outbound.close();
  }
  expect(server.requests()).toBe(0);
});

test('A literal that is no longer allowed is not connected to', async () => {
  await using server = await aServer();
  const outbound = outboundOf('private');
  expect(await requested(outbound, `http://127.0.0.1:${server.port}`)).toContain('loopback addresses are not in OUTBOUND_ALLOW');
  expect(server.requests()).toBe(0);
  await outbound.close();
});
