import { beforeEach, expect, test } from '@jest/globals';
import { createRateLimits, networkOf, type RateLimits } from '../../gateway/rate-limits.ts';

const refusal = (count: () => void): unknown => {
  try {
    count();
    return undefined;
  } catch (error) {
    return error;
  }
};

let now = 0;
let limits: RateLimits;
beforeEach(() => {
  limits = createRateLimits({ perAddressPerMinute: 2, perKeyPerMinute: 2, now: () => now });
});

test('A limit of two requests per minute refuses the third one until a minute has passed since the first', () => {
  limits.countKey('a');
  now += 50_000;
  limits.countKey('a');
  now += 8_500;
  expect(refusal(() => limits.countKey('a'))).toMatchObject({ code: 'rate_limited', context: { retryAfter: 2 } });
  now += 1_499;
  expect(refusal(() => limits.countKey('a'))).toMatchObject({ code: 'rate_limited', context: { retryAfter: 1 } });
  now += 1;
  limits.countKey('a');
  limits.countKey('a');
  expect(refusal(() => limits.countKey('a'))).toMatchObject({ code: 'rate_limited', context: { retryAfter: 60 } });
});

test('A limit of two requests per minute counts a full minute for each key, independent of other keys', () => {
  limits.countKey('other');
  now += 59_000;
  limits.countKey('a');
  limits.countKey('a');
  now += 59_999;
  limits.countKey('other');
  expect(refusal(() => limits.countKey('a'))).toMatchObject({ code: 'rate_limited' });
});

test.each([
  ['IPv4', '203.0.113.9', '203.0.113.9'],
  ['IPv4 within IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
  ['none', '', ''],
])('The rate limit counts separately an address of the form %s', (_kind, address, network) => expect(networkOf(address)).toBe(network));

test.each([
  ['2001:db8:0:1200::1', '2001:db8:0:12ff:1:2:3:4'],
  ['2001:db8::1', '2001:db8:0:ff::1'],
  ['2001::12:0:0:0:1', '2001::12:0:0:0:2'],
  ['::1', '::2'],
  ['fe80::1%eth0', 'fe80::2%eth0'],
])('The rate limit counts the addresses of an IPv6 network together: %s and %s', (one, other) =>
  expect(networkOf(one)).toBe(networkOf(other)),
);

test.each([
  ['2001:db8:0:1200::1', '2001:db8:0:1300::1'],
  ['2001:db8::1', '2001:db9::1'],
  ['2001:db8::1', '2001:db8:0:100::1'],
  ['::1', '::100:0:0:0:1'],
])('The rate limit counts the addresses of two IPv6 networks separately: %s and %s', (one, other) =>
  expect(networkOf(one)).not.toBe(networkOf(other)),
);
