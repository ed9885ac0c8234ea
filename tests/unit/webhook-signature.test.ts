import { expect, test } from '@jest/globals';
import { refuseWebhook, signWebhook } from '../../shared/control/webhook-signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const AT = 1_614_265_330_000;

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const sign = () => signWebhook(SECRET, { id: ID, at: AT, body: BODY });
const check = (changes: Partial<Parameters<typeof refuseWebhook>[1]> = {}) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = sign();
  return refuseWebhook(SECRET, { id, timestamp, signatures, body: BODY, now: AT, ...changes });
};

test('A webhook signature equals the example of the Standard Webhooks specification', () => {
  expect(sign()).toEqual({
    'webhook-id': ID,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('A webhook signature is accepted within five minutes of the clock in either direction', () => {
  for (const seconds of [0, 300, -300]) expect(check({ now: AT + seconds * 1_000 })).toBeUndefined();
  for (const seconds of [301, -301]) expect(check({ now: AT + seconds * 1_000 })).toMatch(/five minutes/);
});

test('A webhook is accepted if one of several signatures is valid, which permits rotating a secret', () => {
  const { 'webhook-signature': right } = sign();
  expect(check({ signatures: `v1,AAAA ${right} v2,else` })).toBeUndefined();
});

test.each([
  ['another body', { body: '{"test": 1}' }, /does not fit/],
  ['another id', { id: 'msg_other' }, /does not fit/],
  ['another timestamp', { timestamp: '1614265331' }, /does not fit/],
  ['no signature', { signatures: undefined }, /does not fit/],
  ['an empty signature', { signatures: 'v1,' }, /does not fit/],
  ['another version', { signatures: 'v0,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }, /does not fit/],
  ['no id', { id: undefined }, /webhook-id/],
  ['an id that is none', { id: 'a b' }, /webhook-id/],
  ['no timestamp', { timestamp: undefined }, /webhook-timestamp/],
  ['a timestamp that is none', { timestamp: 'now' }, /webhook-timestamp/],
])('A webhook signature is refused with %s', (_what, changes, sentence) => expect(check(changes)).toMatch(sentence));
