import { expect, test } from '@jest/globals';
import { quoted, template } from '../../control/story/code.ts';

const REVERSED = 'a\u202eb\u2066c\u2028d\u0007';
const ESCAPED = 'a\\u202eb\\u2066c\\u2028d\\u0007';

test('A recorded scenario escapes characters that change how its code is shown, in literals and in templates', () => {
  expect(quoted(REVERSED)).toBe(`'${ESCAPED}'`);
  expect(template([REVERSED, { code: 'order.id' }])).toBe(`\`${ESCAPED}\${order.id}\``);
});

test('A recorded scenario leaves letters of all scripts as they are', () => {
  expect(quoted('Zoë שלום 東京 🛍️')).toBe("'Zoë שלום 東京 🛍️'");
});
