import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BODY_LIMIT, type Hop, type JournalRecord, journalHop, recordOf } from '../../shared/control/journal.ts';
import {
  keepSecret,
  MOST_REDACTED,
  redactedStart,
  redactJson,
  redactText,
  redactUrl,
  redactValue,
  secretIn,
  showTokens,
} from '../../shared/domain/redaction.ts';
import type { World } from '../../shared/domain/world.ts';
import { createLogger } from '../../shared/process/logger.ts';
import type { ControlStore } from '../../shared/store/ports/estate-store.ts';
import type { JournalEntry } from '../../shared/store/ports/journal.ts';
import { censoredCardNumbers } from '../support/card-number-rules.ts';

const REHEARSAL_KEY = 'reh_mine_abcdefghijklmnopqrstuvwxyz';
const WEBHOOK_SECRET = 'whsec_YKs4SnqCuZEvmrP/vymueeFKkHMK4cVC';

const CARDS = [
  ...['4111111111111111', '4222222222222', '5555555555554444', '2223003122003222', '378282246310005', '30569309025904'],
  ...['6011111111111117', '3530111333300000', '6200000000000005', '6304000000000000', '4000000000000000006'],
];

/** Written in groups of four, as it is embossed. */
const grouped = (digits: string, separator: string): string => digits.match(/.{1,4}/g)?.join(separator) ?? '';

test('A URL of more than a thousand characters is shown up to its last whole part', () => {
  const long = `/customers/${'a'.repeat(600)}?first=${'b'.repeat(300)}&last=`;
  expect(redactUrl(`${long}${grouped('4111111111111111', '%20').repeat(20)}`)).toBe(`${long}[redacted]`);
  expect(redactUrl(`/orders/${'4111 1111'.repeat(1_000)}`)).toBe('/orders/[redacted]');
});

test.each(CARDS)('The card number %s is redacted, plain and in groups, within words and as a number', (card) => {
  for (const written of [card, grouped(card, ' '), grouped(card, '-'), grouped(card, '.'), grouped(card, ' - ')]) {
    expect(redactText(`paid with card${written}, thanks`)).toBe('paid with card[redacted], thanks');
    expect(secretIn(written)).toBe('card_number');
  }
  if (card.length < 17) expect(redactJson(`{"card":${card},"qty":2}`)).toBe('{"card":"[redacted]","qty":2}');
  expect(redactUrl(`/customers?q=${grouped(card, '%20')}`)).toBe('/customers?q=[redacted]');
});

test.each([
  ...['5555%205555%205555%204444', '%35555555555554444', '5555%2D5555%2D5555%2D4444', '%2535555555555554444'],
  ...['5555+5555+5555+4444', '5555%205555%205555%204444%', 'reh%5Fmine_abcdefghijklmnopqrstuvwxyz'],
])('A secret that is encoded as %s is redacted, in a path and wherever a path is quoted', (written) => {
  const instance = `/customers/${written}`;
  const sent = { instance, detail: `There is no customer "${written}".`, [written]: written };
  expect(JSON.parse(redactJson(JSON.stringify(sent)))).toEqual({
    instance: '/customers/[redacted]',
    detail: 'There is no customer "[redacted]".',
    '[redacted]': '[redacted]',
  });
  expect(redactUrl(instance)).toBe('/customers/[redacted]');
  expect(redactJson(`no JSON: ${instance}`)).toBe('no JSON: /customers/[redacted]');
});

test('Redaction keeps a text that only has percent and plus signs', () => {
  for (const text of [
    ...['100% of 50%25', '/caf%C3%A9/1+2', 'call +353915550101+4222222222222', '2026-03-01T10:00:00.000+01:00', '%zz %', '%E0%A4%A'],
  ])
    expect(JSON.parse(redactJson(JSON.stringify({ text })))).toEqual({ text });
});

test('A secret is redacted in an encoded part of a path, after any prefix', () => {
  for (const url of ['/x/whsec_ab%2Fcd', '/x?q=whsec_ab%2Fcd', '/x/whsec_ab/c%2Bd', '/x/5555%205555%205555%204444']) {
    expect(redactUrl(url)).toMatch(/^\/x(?:\/|\?q=)\[redacted\]$/);
  }
});

test('Redaction keeps UUIDs, also those with digits like a card number', () => {
  for (const uuid of [
    'dac68707-0673-4833-8767-390ca35700a0',
    '32397f08-31ca-4970-9470-75747485cb0f',
    '38329413-3313-4939-8f59-8a4451a3dedd',
  ]) {
    for (const text of [uuid, `pi_${uuid}`, `/orders/${uuid.toUpperCase()}?a=1`]) {
      expect(redactText(text)).toBe(text);
      expect(secretIn(text)).toBeUndefined();
    }
  }
  expect(secretIn('41111111-1111-1111-0000-000000000000')).toBe('card_number');
});

test('Redaction keeps telephone numbers with a plus sign, and tracking numbers', () => {
  // Their digits are valid numbers of an old Visa card, an American Express card and a Diners Club card.
  for (const number of ['+4222222222222', '+42 2222 222 2222', '+378282246310005', 'UC30569309025904']) {
    expect([redactText(`x ${number} now`), secretIn(number)]).toEqual([`x ${number} now`, undefined]);
  }
  expect(['+4111111111111111', 'UC4111111111111111'].map(secretIn)).toEqual(['card_number', 'card_number']);
});

test.each([
  ...['4111111111111112', '8000000000019', '4006381333931', '2026-11-22T13:17:58.123Z', '1795353478000', '20261122131758'],
  ...['01KASY5XZJ1Q2W3E4R5T6Y7U8I', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4111111111111111'.padStart(32, 'a')],
  ...['+353915550101', '00000000-0000-4000-8000-000000000000'],
])('Redaction keeps %s, which only resembles a card number', (other) =>
  expect([redactText(other), secretIn(other)]).toEqual([other, undefined]),
);

test.each([
  ['of a rehearsal', REHEARSAL_KEY],
  ['of a webhook', WEBHOOK_SECRET],
  ['of a webhook with dots in place of slashes, as a correlation id permits', 'whsec_.rZ8Oxf.S3ai0M4SHFfZPZJU0z2enzhh'],
  ...['demo-integration-token', 'demo-control-token', 'demo-carrier-key', 'demo-client-secret', 'demo-store-key'].map(
    (key) => ['of the fixtures', key] as const,
  ),
])('A credential %s is redacted in a text, a member, a name, a path and a query, plain and encoded', (_what, secret) => {
  const encoded = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  const everywhere = [
    redactText(`sent ${secret} along`),
    redactJson(JSON.stringify({ note: secret, [secret]: [{ deep: `x ${secret}` }] })),
    redactUrl(`/baskets/${secret}/lines?key=${secret}&note=${encodeURIComponent(secret)}&more=${encoded}`),
  ].join();
  for (const form of [secret, encodeURIComponent(secret), encoded]) expect(everywhere).not.toContain(form);
  expect(secretIn(secret)).toBe('credential');
});

test('A value is redacted by the name of its member, in any form', () => {
  const secret = { apiKey: 'k', 'X-API-Key': 'k', Authorization: 'k', webhook_secret: 'k', password: 'k', cvc: 123 };
  const hidden = Object.fromEntries(Object.keys(secret).map((name) => [name, '[redacted]']));
  const shown = { key: 'k', note: 'k' };
  expect(JSON.parse(redactJson(JSON.stringify({ sent: { ...secret, ...shown } })))).toEqual({ sent: { ...hidden, ...shown } });
});

test('Redaction takes linear time for any text', () => {
  const hostile = [
    ...['reh_', 'a.', '\\"', '"authorization"', 'a://', '4 ', '4111-', 'bearer ', '?key=', '%', '%25', '%2', '1+', '4111+', '/%20'],
    ...['whsec', ':', 'x-', '-reh_a', '"x":'],
  ];
  const steps = (text: string): number => {
    const began = process.cpuUsage();
    redactJson(text);
    redactUrl(text);
    redactJson(JSON.stringify({ text }));
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
  // For a text of this length, a quadratic algorithm takes minutes, and a linear one takes milliseconds on any machine.
  for (const piece of hostile) expect([piece, steps(piece.repeat(300_000 / piece.length)) < 5_000]).toEqual([piece, true]);
});

function recorded(hop: Partial<Hop>): JournalRecord {
  const records: JournalRecord[] = [];
  const control = {
    journal: (_world: World, entry: JournalEntry) => void records.push(recordOf({ sequence: 1, ...entry })),
  } as unknown as ControlStore;
  const ids = { requestId: 'req_1', correlationId: 'cor' };
  const asked = { application: 'oms', api: 'get-order-api', method: 'GET', path: '/orders/ord_1' } as const;
  const usual = { ...asked, status: 200, now: 0, started: performance.now() };
  journalHop({ control, log: createLogger('silent') }, { ids, world: 'w~1' as World, ...usual, ...hop });
  const [record] = records;
  if (!record) throw new Error('There is no record.');
  return record;
}

test('A journal record has unchanged bodies when they are small and contain no secret', () => {
  const body = { lines: [{ sku: 'mug-blue', qty: 1 }] };
  expect(recorded({ request: body, response: JSON.stringify(body) })).toEqual({
    ...recorded({}),
    startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    durationMs: expect.any(Number),
    at: '1970-01-01T00:00:00.000Z',
    request: body,
    response: body,
  });
});

test('A journal record contains no secret, even if an escape, an exponent or a name hides it in the text of a request', () => {
  for (const text of [
    '{"token":"\\u0074ok_live"}',
    '{"url":"https:\\/\\/ada:geheim1234@shop.example"}',
    '{"card":41111111111111110e-1}',
    '{"card":4111111111111.111E3}',
    '[41111111111111.11e2]',
    '{"pan": "1234"}',
    '{"p\\u0061n":"1234"}',
    '\ufeff{"pan": "1234"}',
  ]) {
    const { request } = recorded({ request: JSON.parse(text.replace(/^\ufeff/, '')), requestText: text });
    expect([text, JSON.stringify(request)]).toEqual([text, expect.stringContaining('[redacted]')]);
    expect(JSON.stringify(request)).not.toMatch(/tok_|geheim|4111|1234/);
  }
});

test('A journal record has the size of a request without the spaces of its text', () => {
  const request = { note: 'x'.repeat(BODY_LIMIT) };
  const text = JSON.stringify(request, null, 40);
  expect(recorded({ request, requestText: text }).request).toMatchObject({ bytes: JSON.stringify(request).length });
  const spacious = { note: 'x' };
  expect(recorded({ request: spacious, requestText: `{"note":${' '.repeat(BODY_LIMIT)}"x"}` }).request).toEqual(spacious);
});

test('A journal record is truncated and marked when it is too large', () => {
  const large = { note: 'ü'.repeat(20_000) };
  const path = `/orders?q=${'x'.repeat(10_000)}`;
  const record = recorded({ request: large, response: JSON.stringify(large), path, calls: Array(900).fill('req_2') });
  expect(record).toMatchObject({
    truncated: true,
    request: { truncated: true, bytes: 40_011, start: expect.stringMatching(/^\{"note":"ü+$/) },
  });
  expect(JSON.stringify(record).length).toBeLessThan(60_000);
});

test('A journal record has no secret or part of one after any truncation', () => {
  const secrets = fc.constantFrom('4111111111111111', REHEARSAL_KEY, WEBHOOK_SECRET);
  const hidesIt = fc.property(fc.integer({ min: 16_200, max: 16_400 }), secrets, (at, secret) => {
    const record = recorded({ request: { note: `${'x'.repeat(at)} ${secret} ${'y'.repeat(1_000)}` } });
    return !JSON.stringify(record).includes(secret.slice(0, 12));
  });
  fc.assert(hidesIt, { numRuns: 50 });
});

test('The search for card numbers finds what its rules find, in any text of digits and separators', () => {
  const card = fc.constantFrom(...CARDS);
  const separator = fc.constantFrom('', ' ', '-', '.', ' - ', '+', '    ', '\u2011', 'x');
  const digits = fc.oneof(
    fc.stringMatching(/^\d{1,9}$/),
    fc.stringMatching(/^[34]\d{12,19}$/),
    card,
    fc.stringMatching(/^[0-9a-f]{30,34}$/),
  );
  const written = fc.tuple(card, separator, fc.integer({ min: 1, max: 5 })).map(([number, between, size]) => {
    return (number.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(between);
  });
  const piece = fc.oneof(digits, written, separator, fc.constantFrom('UC', 'uc4', '+', '_', '\n'));
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const isEqual = fc.property(text, (sent) => {
    expect(redactText(sent)).toBe(censoredCardNumbers(sent, '[redacted]'));
    expect(secretIn(sent) === undefined).toBe(censoredCardNumbers(sent, '') === sent);
  });
  fc.assert(isEqual, { numRuns: 3_000 });
});

test('The start of a text that is too long to redact has no secret or part of one, wherever the text is cut', () => {
  const secret = fc.constantFrom(
    '4111111111111111',
    grouped('4111111111111111', ' - '),
    REHEARSAL_KEY,
    WEBHOOK_SECRET,
    '://ada:geheim1234@',
  );
  const hidesIt = fc.property(
    secret,
    fc.integer({ min: -60, max: 10 }),
    fc.constantFrom('x ', `tok_${'a'.repeat(28)} `),
    (hidden, place, filler) => {
      const before = filler.repeat(MOST_REDACTED).slice(0, MOST_REDACTED + place);
      const text = `${before}${hidden} ${'y'.repeat(1_000)}`;
      const request = { note: text, pan: '4111' };
      const records = [recorded({ request }), recorded({ request, requestText: JSON.stringify(request) })];
      for (const start of [redactedStart(text), ...records.map((record) => JSON.stringify(record))]) {
        expect(start).not.toMatch(/4111|reh_|whsec|ada/);
        expect(start.length).toBeGreaterThan(2_000);
      }
    },
  );
  fc.assert(hidesIt, { numRuns: 200 });
});

test('A journal record has the start of a body that is too long to redact, without its secrets, and the length of the whole', () => {
  const card = '{"lines":[{"pan":"1234","note":"\\u0034111 1111 1111 1111"}],"note":"';
  const body = `${card}${'4111 1111 1111 1111 '.repeat(20_000)}"}`;
  const { request, response, truncated } = recorded({ request: JSON.parse(body), requestText: body, response: body });
  const start = expect.stringMatching(/^\{"lines":\[\{"pan":"\[redacted\]","note":"\[redacted\]"\}\],"note":"(?:\[redacted\] )+/);
  const cut = { truncated: true, bytes: body.length, start };
  expect([request, response]).toEqual([cut, cut]);
  expect(truncated).toBe(true);
  for (const text of ['no JSON: ', '["'])
    expect(JSON.stringify(recorded({ response: `${text}${'4111 1111 1111 1111 '.repeat(20_000)}` }).response)).not.toContain('4111');
});

test('A journal record omits values that cannot be serialised', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  expect(recorded({ request: cyclic })).toMatchObject({ truncated: true, request: { truncated: true }, status: 200 });
  let deep: unknown = 'tok_live';
  for (let level = 0; level < 20_000; level++) deep = [deep];
  expect(recorded({ request: deep })).toMatchObject({ status: 200, request: expect.anything() });
  expect(recorded({ response: 'no JSON, but tok_live' }).response).toBe('no JSON, but [redacted]');
});

test('A log line stays one line of JSON after any redaction', () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => void lines.push(line) });
  log.info({ card: 4111111111111111, err: new Error(`no: 4111 1111 1111 1111, ${REHEARSAL_KEY}`), credentials: { bearer: 'abc' } }, 'x');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ card: '[redacted]', credentials: { bearer: '[redacted]' }, msg: 'x' });
  expect(lines[0]).not.toMatch(/4111|reh_/);
});

test('A registered secret is redacted from eight characters on, whatever its form', () => {
  keepSecret(['q7zx~v3k', 'h4#wp9r', `Z${'y'.repeat(900)}`, undefined]);
  expect(redactText('sent q7zx~v3k, h4#wp9r')).toBe('sent [redacted], h4#wp9r');
  expect(redactText(`sent Z${'y'.repeat(900)}`)).toBe('sent [redacted]');
  expect([secretIn('q7zx~v3k'), secretIn('h4#wp9r')]).toEqual(['credential', undefined]);
});

test('The text of JSON is redacted like its values, including registered secrets and escapes', () => {
  const tokens = ['tok_live', 'paid with tok_1-a, "tok_2"', 'C:\\tok_3', '/cards/tok_4?x'];
  const text = fc.constantFrom(...tokens, REHEARSAL_KEY, 'mug-blue', '4111111111111111');
  const value = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.integer()));
  fc.assert(fc.property(value, (sent) => expect(JSON.parse(redactJson(JSON.stringify(sent)))).toEqual(redactValue(sent))));
});

test('Redaction keeps tokens that are registered, and tokens that name their decline', () => {
  showTokens(['tok_of_this_test']);
  const shown = { token: 'tok_of_this_test', other: 'tok_decline_lost_card', note: 'tok_of_this_test, tok_decline_x' };
  const hidden = { a: 'tok_of_this_test2', b: 'tok_decline_', c: 'tok_decline_X' };
  expect(JSON.parse(redactJson(JSON.stringify({ ...shown, ...hidden })))).toEqual({
    ...shown,
    a: '[redacted]',
    b: '[redacted]',
    c: '[redacted]',
  });
  expect(JSON.parse(redactJson(JSON.stringify({ ...shown, pan: 'x', note: '\\' })))).toEqual({ ...shown, pan: '[redacted]', note: '\\' });
  expect(redactText('declined: tok_decline_lost_card')).toBe('declined: tok_decline_lost_card');
});

test.each([
  ['digits', '1'],
  ['digits in groups', '4111 1111 1111 111'],
  ['digits that plus signs join', '1+'],
  ['digits with hyphens', '1---'],
  ['letters of credentials', 'uct_a.'],
  ['letters of a header', 'bearer aaaaaaaaa '],
  ['an address', '://a'],
  ['encoded characters', '%41'],
  ['encoded digits', '%31'],
])('Redaction and the search for secrets end on a text of any length with %s', (_what, part) => {
  const long = part.repeat(16_777_216 / part.length);
  const edge = part.repeat(1_048_576 / part.length);
  for (const text of [long, edge]) {
    for (const redact of [redactText, redactJson, redactUrl, redactValue, secretIn]) expect(() => redact(text)).not.toThrow();
  }
});

test('A secret at the end of a text of any length is found, and never shown', () => {
  const text = `${'a, '.repeat(700_000)}4111 1111 1111 1111`;
  expect(secretIn(text)).toBe('card_number');
  for (const redact of [redactText, redactUrl, redactValue]) expect(redact(text)).toBe('[redacted]');
  const encoded = `${'a, '.repeat(700_000)}%34111111111111111`;
  expect([redactValue(encoded), redactJson(JSON.stringify(encoded))]).toEqual(['[redacted]', '"[redacted]"']);
});
