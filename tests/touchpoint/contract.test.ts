import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import {
  ALL_CASES,
  AUTHORIZED,
  aMock,
  authorizationFixtures,
  authorized,
  CALCULATE,
  CALCULATE_CASES,
  call,
  FINISH,
  FINISH_CASES,
  fixtureOf,
} from './running-touchpoint.ts';

const DENIED = '{"error":"Touchpoint authorization denied"}';
const SELECTOR = '{"error":"MOCK_ONLY: missing, unknown or incompatible X-Mock-Case selector"}';

/** Every contract path with a selector that suits it. */
const PATHS = [
  { path: CALCULATE, headers: { 'X-Mock-Case': '02' }, fixture: fixtureOf('02') },
  { path: FINISH, headers: { 'X-Mock-Case': '10' }, fixture: fixtureOf('10') },
  ...ALL_CASES.map((name) => ({ path: `/caso${name}`, headers: {}, fixture: fixtureOf(name) })),
];

let mock: Listening;
beforeAll(async () => {
  mock = await aMock();
});

describe('authorization', () => {
  const table = PATHS.flatMap((entry) => authorizationFixtures().map((caller) => ({ ...entry, caller, name: caller.name })));

  test('there are 23 contract paths and seven authorization fixtures', () => {
    expect(table).toHaveLength(23 * 7);
    expect(table.filter(({ caller }) => caller.authorized)).toHaveLength(23);
  });

  test.each(table)('$path answers the fixture "$name" with its status', async ({ path, headers, fixture, caller }) => {
    const reply = await call(mock.url, {
      path,
      headers: {
        'Content-Type': 'application/json',
        ...headers,
        ...(caller.authorization === null ? {} : { Authorization: caller.authorization }),
      },
      body: JSON.stringify({ ...fixture.request, touchpointId: caller.touchpointId }),
    });
    if (caller.authorized) {
      expect(reply.status).toBe(fixture.status);
      expect(JSON.parse(reply.text)).toEqual(fixture.response);
    } else {
      expect([reply.status, reply.text]).toEqual([403, DENIED]);
    }
    expect(reply.headers['content-type']).toBe('application/json');
  });

  test.each(['bearer', 'BEARER', 'bEaReR'])('the scheme may be written %s', async (scheme) => {
    const reply = await authorized(mock.url, { path: '/caso02', headers: { Authorization: `${scheme} demo-store-key` } });
    expect(reply.status).toBe(200);
  });

  test.each([
    'Bearer',
    'Bearer ',
    'Bearerdemo-store-key',
    'Bearer demo-store-ke',
    'Bearer demo-store-key2',
    'Bearer Demo-Store-Key',
    'Bearer demo-store-key, Bearer demo-store-key',
    'Bearer "demo-store-key"',
    'demo-store-key',
    'Token demo-store-key',
    'Bearer \u00e9emo-store-key',
  ])('the header "%s" is denied', async (header) => {
    const reply = await authorized(mock.url, { path: '/caso02', headers: { Authorization: header } });
    expect([reply.status, reply.text]).toEqual([403, DENIED]);
  });

  test.each([
    ['an absent body', ''],
    ['a body that is not JSON', '{"touchpointId":"SCO-01"'],
    ['an array', '["SCO-01"]'],
    ['null', 'null'],
    ['a string', '"SCO-01"'],
    ['a number', '1'],
    ['an object without a lane', '{"basketId":"b"}'],
    ['a lane that is not a string', '{"touchpointId":["SCO-01"]}'],
    ['a lane in other letters', '{"touchpointId":"sco-01"}'],
    ['a lane with white space', '{"touchpointId":"SCO-01 "}'],
    ['a lane named like a member of every object', '{"touchpointId":"constructor"}'],
    ['a lane hidden in a prototype', '{"__proto__":{"touchpointId":"SCO-01"}}'],
  ])('%s has no authorised lane', async (_what, body) => {
    for (const path of [CALCULATE, FINISH, '/caso02', '/caso10']) {
      const reply = await authorized(mock.url, { path, headers: { 'X-Mock-Case': '02' }, body });
      expect([reply.status, reply.text]).toEqual([403, DENIED]);
    }
  });

  test('every configured lane is accepted and echoed', async () => {
    const other = await aMock({ lanes: ['SCO-07', 'SCO-"8"'] });
    for (const lane of ['SCO-07', 'SCO-"8"']) {
      const reply = await authorized(other.url, { path: '/caso02', body: { touchpointId: lane, basketId: 'b' } });
      expect(JSON.parse(reply.text)).toMatchObject({ touchpointId: lane, basketId: 'b' });
    }
    expect((await authorized(other.url, { path: '/caso02' })).status).toBe(403);
    await other.close();
  });
});

describe('order of the checks', () => {
  test('a denied credential wins over a bad selector and a bad lane', async () => {
    const reply = await call(mock.url, { path: CALCULATE, headers: { 'X-Mock-Case': 'nonsense' }, body: '{"touchpointId":"SCO-99"}' });
    expect([reply.status, reply.text]).toEqual([403, DENIED]);
  });

  test('a denied lane wins over a bad selector', async () => {
    const reply = await authorized(mock.url, { path: CALCULATE, headers: { 'X-Mock-Case': 'nonsense' }, body: { touchpointId: 'SCO-99' } });
    expect([reply.status, reply.text]).toEqual([403, DENIED]);
  });

  test('the refusal of case 18 differs from a denied authorization by its code', async () => {
    const reply = await authorized(mock.url, { path: '/caso18' });
    expect([reply.status, reply.text]).toEqual([403, '{"error":"Touchpoints disabled","code":"TOUCHPOINTS_DISABLED"}']);
  });
});

describe('the selector', () => {
  test.each([...CALCULATE_CASES.map((name) => ({ path: CALCULATE, name })), ...FINISH_CASES.map((name) => ({ path: FINISH, name }))])(
    '$path answers case $name as its scenario endpoint does',
    async ({ path, name }) => {
      const body = fixtureOf(name).request;
      const [alias, scenario] = await Promise.all([
        authorized(mock.url, { path, headers: { 'X-Mock-Case': name }, body }),
        authorized(mock.url, { path: `/caso${name}`, body }),
      ]);
      expect(alias.status).toBe(fixtureOf(name).status);
      expect([alias.status, alias.text, alias.headers['retry-after']]).toEqual([
        scenario.status,
        scenario.text,
        scenario.headers['retry-after'],
      ]);
    },
  );

  test.each([...FINISH_CASES.map((name) => ({ path: CALCULATE, name })), ...CALCULATE_CASES.map((name) => ({ path: FINISH, name }))])(
    '$path finds case $name incompatible',
    async ({ path, name }) => {
      const reply = await authorized(mock.url, { path, headers: { 'X-Mock-Case': name } });
      expect([reply.status, reply.text]).toEqual([400, SELECTOR]);
    },
  );

  test.each([
    '',
    '2',
    '002',
    '14Refused',
    '05',
    '02,',
    '02, 03',
    '02, 02',
    'caso02',
    'constructor',
    '__proto__',
    'MOCK_ONLY_INVALID_SELECTOR',
  ])('the value "%s" is unknown on both aliases', async (selector) => {
    for (const path of [CALCULATE, FINISH]) {
      const reply = await authorized(mock.url, { path, headers: { 'X-Mock-Case': selector } });
      expect([reply.status, reply.text]).toEqual([400, SELECTOR]);
    }
  });

  test('there is no implicit default when the header is absent', async () => {
    for (const path of [CALCULATE, FINISH]) {
      const reply = await authorized(mock.url, { path });
      expect([reply.status, reply.text]).toEqual([400, SELECTOR]);
    }
  });

  test('a header that is sent twice is unknown, even with equal values', async () => {
    for (const twice of [
      ['02', '03'],
      ['02', '02'],
    ]) {
      const reply = await authorized(mock.url, { path: CALCULATE, headers: { 'X-Mock-Case': twice } });
      expect([reply.status, reply.text]).toEqual([400, SELECTOR]);
    }
  });

  test('white space around the value is not part of it', async () => {
    expect((await authorized(mock.url, { path: CALCULATE, headers: { 'X-Mock-Case': ' \t02 ' } })).status).toBe(200);
  });

  test('a scenario endpoint ignores it', async () => {
    const plain = await authorized(mock.url, { path: '/caso04' });
    for (const selector of ['10', 'nonsense', '', 'MOCK_ONLY_INVALID_SELECTOR']) {
      expect((await authorized(mock.url, { path: '/caso04', headers: { 'X-Mock-Case': selector } })).text).toBe(plain.text);
    }
  });
});

describe('the echo', () => {
  const STRINGS = [
    '',
    'B-7',
    'a"b\\c',
    '\n\t\u0000',
    'caffè ☕ 🛒',
    '\u2028\u2029',
    '$& $1 {basketId}',
    '</script>',
    '\ud800',
    '__proto__',
    'x'.repeat(5000),
  ];

  test.each(STRINGS)('basketId %j is returned unchanged, and nothing else changes', async (basketId) => {
    for (const name of ['02', '14', '09', '10', '10c', '10claimed']) {
      const reply = await authorized(mock.url, { path: `/caso${name}`, body: { touchpointId: 'SCO-01', basketId } });
      expect(JSON.parse(reply.text)).toEqual({ ...fixtureOf(name).response, basketId });
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
      const fixed = await authorized(mock.url, { path: `/caso${name}` });
      expect(reply.text.replace(`"basketId":${JSON.stringify(basketId)}`, () => '"basketId":"basket-1001"')).toBe(fixed.text);
    }
  });

  test.each([undefined, null, 7, true, ['b'], { id: 'b' }])(
    'a basketId %j is replaced by the identifier of the fixture',
    async (basketId) => {
      const reply = await authorized(mock.url, { path: '/caso02', body: { touchpointId: 'SCO-01', basketId } });
      expect(JSON.parse(reply.text)).toEqual(fixtureOf('02').response);
    },
  );

  test('case 18 and 19 echo nothing', async () => {
    for (const name of ['18', '19']) {
      const reply = await authorized(mock.url, { path: `/caso${name}`, body: { touchpointId: 'SCO-01', basketId: 'other' } });
      expect(JSON.parse(reply.text)).toEqual(fixtureOf(name).response);
    }
  });
});

describe('the fixed responses', () => {
  test('are byte-identical for every body with the lane and for every repeat', async () => {
    for (const name of ALL_CASES) {
      const bodies = [
        fixtureOf(name).request,
        { touchpointId: 'SCO-01' },
        { touchpointId: 'SCO-01', basketId: 'basket-1001', lines: 'nonsense', add: -1, loyaltyCard: { a: 1 }, total: 99 },
      ];
      const replies = await Promise.all(bodies.map((body) => authorized(mock.url, { path: `/caso${name}`, body })));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    }
  });

  test('write every amount with two decimals and a weight with three', async () => {
    for (const name of ALL_CASES) {
      const { text } = await authorized(mock.url, { path: `/caso${name}` });
      for (const [, member, value] of text.matchAll(/"(unitPrice|amount|saving|total|totalSaving|weight)":([^,}]+)/g)) {
        if (value !== 'null')
          expect([member, value]).toEqual([member, expect.stringMatching(member === 'weight' ? /^\d+\.\d{3}$/ : /^\d+\.\d{2}$/)]);
      }
    }
    expect((await authorized(mock.url, { path: '/caso14' })).text).toContain('"unitPrice":7.90,"amount":6.90,"saving":1.00');
    expect((await authorized(mock.url, { path: '/caso16' })).text).toContain('"weight":0.250');
  });

  test('have Retry-After only in case 19', async () => {
    for (const name of ALL_CASES) {
      expect((await authorized(mock.url, { path: `/caso${name}` })).headers['retry-after']).toBe(name === '19' ? '30' : undefined);
    }
  });

  test('are stateless: a finish before any calculate is answered, and a repeat is answered like the first', async () => {
    const first = await authorized(mock.url, { path: '/caso10' });
    const again = await authorized(mock.url, { path: '/caso10' });
    expect(again.text).toBe(first.text);
    expect(JSON.parse((await authorized(mock.url, { path: '/caso10r' })).text)).toEqual({ ...JSON.parse(first.text), repeated: true });
  });

  test('do not depend on the content type of the request', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      expect((await authorized(mock.url, { path: '/caso02', headers: { 'Content-Type': type } })).status).toBe(200);
    }
  });
});

describe('paths and methods', () => {
  test.each(PATHS.map(({ path }) => path))('%s answers POST only', async (path) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await call(mock.url, { method, path, headers: AUTHORIZED });
      expect([method, reply.status, reply.headers.allow]).toEqual([method, 405, 'POST']);
      if (method !== 'HEAD') expect(JSON.parse(reply.text)).toEqual({ error: expect.any(String) });
    }
  });

  test.each([
    '/',
    '/caso05',
    '/caso',
    '/CASO02',
    '/caso02/',
    '/caso2',
    '//caso02',
    '/caso%302',
    '/mock/caso02',
    '/retail/touchpoint/basket',
    `${CALCULATE}/`,
    '/Healthz',
  ])('%s is no path of the mock, with or without a key', async (path) => {
    for (const reply of await Promise.all([
      authorized(mock.url, { path }),
      call(mock.url, { path }),
      call(mock.url, { method: 'GET', path }),
    ])) {
      expect(reply.status).toBe(404);
      expect(JSON.parse(reply.text)).toEqual({ error: expect.any(String) });
    }
  });

  test('a query string does not change the answer', async () => {
    expect((await authorized(mock.url, { path: '/caso02?trace=1' })).text).toBe((await authorized(mock.url, { path: '/caso02' })).text);
  });

  test.each(['/healthz', '/readyz'])('%s needs no key', async (path) => {
    const reply = await call(mock.url, { method: 'GET', path });
    expect(reply.status).toBe(200);
    expect((await call(mock.url, { method: 'HEAD', path })).status).toBe(200);
    expect((await call(mock.url, { method: 'POST', path })).status).toBe(405);
  });

  test('no header reveals the server software', async () => {
    for (const path of ['/caso02', '/healthz', '/nowhere']) {
      expect((await call(mock.url, { method: 'GET', path })).headers).not.toHaveProperty('x-powered-by');
    }
  });
});
