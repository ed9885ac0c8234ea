import { expect, test } from '@jest/globals';
import { mappingOf } from '../../command-line/conform/mapping.ts';
import { paymentHubSuite } from '../../shared/contract/suites/payment-hub.ts';
import { aFolder } from '../support/folder.ts';

test.each([
  [
    'ten thousand keys',
    `ids:\n${Array.from({ length: 10_000 }, (_, index) => `  key-${index}: x`).join('\n')}`,
    'it has more than 65536 bytes',
  ],
  ['nested lists', `ids: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'it is nested too deeply'],
  ['nested maps', `ids: ${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}`, 'it is nested too deeply'],
])('A mapping with %s is refused with a sentence', async (name, text, why) => {
  await using folder = await aFolder();
  const file = await folder.write(`${name.replaceAll(' ', '-')}.yaml`, text);
  expect(() => mappingOf(paymentHubSuite, file)).toThrow(`${file} cannot be read: ${why}.`);
});
