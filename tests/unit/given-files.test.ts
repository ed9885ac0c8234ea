import { afterAll, expect, test } from '@jest/globals';
import { readTextWithin } from '../../shared/process/bounded-file.ts';
import { aFolder } from '../support/folder.ts';

const folder = await aFolder();
afterAll(folder.remove);

test('The text of a given file has no byte order mark, and a file in another encoding than UTF-8 is refused', async () => {
  const textOf = async (bytes: string | Buffer) => {
    return readTextWithin(await folder.write('given.json', bytes), { most: 100 });
  };
  expect(await textOf('\ufeffCafé')).toBe('Café');
  await expect(textOf(Buffer.from('Café', 'latin1'))).rejects.toThrow('it is not UTF-8; save it in this encoding');
  await expect(textOf(Buffer.from('\ufeffCafé', 'utf16le'))).rejects.toThrow('it is not UTF-8');
});
