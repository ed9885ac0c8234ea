import { expect, test } from '@jest/globals';
import { markup } from '../../command-line/output/markup.ts';

const ATTACK = '<script>"it\'s" & more</script>';
const ESCAPED = '&lt;script&gt;&quot;it&#39;s&quot; &amp; more&lt;/script&gt;';

test('The markup of a report escapes every text, in elements, attributes and lists', () =>
  expect(markup`<p title="${ATTACK}">${[ATTACK, 1]}</p>`.text).toBe(`<p title="${ESCAPED}">${ESCAPED}1</p>`));

test('The markup of a report inserts other markup unchanged, and omits undefined values', () =>
  expect(markup`<p>${markup`<b>${'<'}</b>`}${undefined}${false}</p>`.text).toBe('<p><b>&lt;</b></p>'));

test('The markup of a report leaves out the control characters of a text', () =>
  expect(markup`<p>${'a\u0000b\u001B[31mc\uFFFFd'}</p>`.text).toBe('<p>abcd</p>'));
