import { expect, test } from '@jest/globals';
import { inWords } from '../../agents/server.ts';
import { tools } from '../../agents/tools.ts';

test('The JSON Schema of a tool is made once, not for each request', () => {
  const schemaOf = ({ input }: (typeof tools)[number]) => inWords(input)['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const first = tools.map(schemaOf);
  const again = tools.map(schemaOf);
  expect(again.every((one, place) => one === first[place])).toBe(true);
});
