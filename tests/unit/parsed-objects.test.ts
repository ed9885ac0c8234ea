import { expect, test } from '@jest/globals';
import { createParsedObjects } from '../../shared/work/unit/loaded-objects.ts';

const json = '{"id":"a","version":1,"lines":[{"qty":1}]}';

test('A stored object is parsed once for each text', () => {
  const parse = createParsedObjects({ frozen: false });
  expect(parse(json)).toBe(parse(`${json}`));
  expect(parse(json)).toEqual({ id: 'a', version: 1, lines: [{ qty: 1 }] });
  expect(parse(json.replace('1', '2'))).toMatchObject({ version: 2 });
});

test('A stored object cannot be changed in tests, at any depth', () => {
  const object = createParsedObjects({ frozen: true })(json) as unknown as { id: string; lines: { qty: number }[] };
  expect(() => object.lines.push({ qty: 2 })).toThrow(TypeError);
  expect(Object.isFrozen(object.lines[0])).toBe(true);
  expect(Object.isFrozen(object)).toBe(true);
});

test('A stored object is parsed again after many others were read, or when it is very large', () => {
  const parse = createParsedObjects({ frozen: false });
  const first = parse(json);
  for (let other = 0; other < 1_000; other++) parse(`{"id":"${other}","version":1}`);
  expect(parse(json)).not.toBe(first);
  const large = `{"id":"a","version":1,"text":"${'x'.repeat(1_000_000)}"}`;
  expect(parse(large)).not.toBe(parse(large));
});
