import { expect, test } from '@jest/globals';
import { CENSOR } from '../../shared/domain/censor.ts';
import { censorEchoes } from '../../shared/domain/echoed-secrets.ts';

const SECRET = 'hub-secret/4f7a+91c2~"x';
const censored = (text: string, secrets: readonly string[] = [SECRET]) => censorEchoes(text, secrets, () => undefined);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const percent = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
const escapes = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '\\u00$&');

test.each([
  ['plain', SECRET],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in escapes of JSON', escapes(SECRET)],
  ['as base64', base64(SECRET)],
  ['as base64 after one byte', base64(`a${SECRET}`)],
  ['as base64 after two bytes', base64(`me:${SECRET}, and more`)],
  ['as base64 for addresses', Buffer.from(`~~?${SECRET}>>>`).toString('base64url')],
  ['as a component of an address', encodeURIComponent(SECRET)],
  ['as a part of an address', encodeURI(SECRET)],
  ['with every byte in percent', percent(SECRET)],
  ['in percent in lower case', percent(SECRET).toLowerCase()],
  ['in percent twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['as base64 in percent', encodeURIComponent(base64(`x${SECRET}`))],
  ['as base64 in JSON that escapes slashes', base64(`??${SECRET}`).replaceAll('/', '\\/')],
])('A secret %s is censored, and the text around it stays', async (_encoding, echo) => {
  expect(await censored(`{"a":"not with ","b":" ${echo} ","c":"%zz \\q é"}`)).toBe(`{"a":"not with ","b":" ${CENSOR} ","c":"%zz \\q é"}`);
});

test('Each echo of each secret is censored once, and overlapping ones together', async () => {
  expect(await censored('Bearer abcdefgh-1 abcdefgh-1 abcdefgh-2', ['Bearer abcdefgh-1', 'abcdefgh-1', 'abcdefgh-2'])).toBe(
    `${CENSOR} ${CENSOR} ${CENSOR}`,
  );
});

test('A text without a secret stays as it is', async () => {
  const text = `${base64('nothing secret')} %68%75 \\u0068 ${'x'.repeat(100)}`;
  expect(await censored(text)).toBe(text);
  expect(await censored('')).toBe('');
});

test('A megabyte of encoded characters and many secrets leaves turns to others', async () => {
  const secrets = Array.from({ length: 100 }, (_, n) => `secret-number-${n}-of-many`);
  let breaths = 0;
  const breathe = () => {
    breaths += 1;
    return undefined;
  };
  const text = percent(`${'x'.repeat(300_000)}${secrets[99]}`);
  const shown = await censorEchoes(text, secrets, breathe);
  expect(shown.endsWith(`%78${CENSOR}`)).toBe(true);
  expect(breaths).toBeGreaterThan(secrets.length);
});
