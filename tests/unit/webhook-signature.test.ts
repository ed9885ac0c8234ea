import { expect, test } from '@jest/globals';
import { refuseWebhook, signWebhook } from '../../shared/control/webhook-signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const AT = 1_614_265_330_000;

const check = (changes: Partial<Parameters<typeof refuseWebhook>[1]> = {}) => {
  const headers = signWebhook(SECRET, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: AT, body: BODY });
  return refuseWebhook(SECRET, {
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signatures: headers['webhook-signature'],
    body: BODY,
    now: AT,
    ...changes,
  });
};

test('A webhook signature equals the example of the Standard Webhooks specification', () => {
  const headers = signWebhook(SECRET, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: AT, body: BODY });
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('A webhook signature is accepted within five minutes of the clock in either direction', () => {
  expect(check()).toBeUndefined();
  expect(check({ now: AT + 300_000 })).toBeUndefined();
  expect(check({ now: AT - 300_000 })).toBeUndefined();
  expect(check({ now: AT + 301_000 })).toMatch(/five minutes/);
  expect(check({ now: AT - 301_000 })).toMatch(/five minutes/);
});

test('A webhook signature is found among several, as while a secret is rotated', () => {
  const { 'webhook-signature': right } = signWebhook(SECRET, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: AT, body: BODY });
  expect(check({ signatures: `v1,AAAA ${right} v2,else` })).toBeUndefined();
});

test.each([
  ['another body', { body: '{"test": 1}' }],
  ['another id', { id: 'msg_other' }],
  ['another timestamp', { timestamp: '1614265331' }],
  ['no signature', { signatures: undefined }],
  ['an empty signature', { signatures: 'v1,' }],
  ['another version', { signatures: 'v0,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }],
])('A webhook signature does not fit %s', (_what, changes) => {
  expect(check(changes)).toMatch(/does not fit/);
});

test.each([
  ['no id', { id: undefined }, /webhook-id/],
  ['an id that is none', { id: 'a b' }, /webhook-id/],
  ['no timestamp', { timestamp: undefined }, /webhook-timestamp/],
  ['a timestamp that is none', { timestamp: 'now' }, /webhook-timestamp/],
])('A webhook signature is refused with %s', (_what, changes, sentence) => {
  expect(check(changes)).toMatch(sentence);
});
