import { expect, test } from '@jest/globals';
import { readReply } from '../../shared/transport/answer.ts';

const reply = (status: number, text: string) => ({ status, text, retryAfter: undefined });

test.each([
  ['JSON', '{"id":"pay_1"}', { id: 'pay_1' }],
  ['nothing', '', undefined],
])('A reply of another application with %s is read', (_what, text, output) =>
  expect(readReply('payment-hub', reply(200, text))).toEqual(output),
);

test('A successful reply of another application that is not JSON is an error of that application', () => {
  const read = () => readReply('payment-hub', reply(200, '<html>'));
  expect(read).toThrow(expect.objectContaining({ code: 'dependency_error', context: { dependency: 'payment-hub' } }));
  expect(read).toThrow('payment-hub answered 200 with a body that is not JSON.');
});
