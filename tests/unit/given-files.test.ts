import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readTextWithin } from '../../shared/process/bounded-file.ts';
import { runProgram } from '../support/command.ts';
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

describe('A named pipe', () => {
  const aPipe = async (name: string): Promise<string> => {
    const path = folder.at(name);
    expect((await runProgram('mkfifo', [path])).code).toBe(0);
    return path;
  };

  test('A named pipe without a writer is refused, and its reader does not wait forever', async () => {
    const path = await aPipe('unwritten');
    expect(() => readTextWithin(path, { most: 100, pipeMs: 50 })).toThrow('it is a pipe that nothing is written to; give a file');
    expect(() => readTextWithin(path, { most: 100 })).toThrow('it is a named pipe, and must be a file');
  });

  test('A named pipe whose writer stops without closing it is refused', async () => {
    const path = await aPipe('stopped');
    const writer = openSync(path, constants.O_RDWR);
    writeSync(writer, '{"half":');
    expect(() => readTextWithin(path, { most: 100, pipeMs: 50 })).toThrow('it is a pipe that nothing is written to; give a file');
    closeSync(writer);
  });

  test('A named pipe is read to the end of its writer, within its limit', async () => {
    const path = await aPipe('written');
    const written = (bytes: number, most: number) => {
      const writer = spawn('sh', ['-c', `head -c ${bytes} /dev/zero | tr '\\0' x > ${path}`]);
      try {
        return readTextWithin(path, { most, pipeMs: 20_000 }).length;
      } finally {
        writer.kill();
      }
    };
    expect(written(300_000, 300_000)).toBe(300_000);
    expect(() => written(300_000, 299_999)).toThrow('it has more than');
  });
});
