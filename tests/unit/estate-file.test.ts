import { expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { unpacked } from '../../shared/contract/estate-file.ts';
import { type EstateFile, packed } from '../../shared/domain/estate-file.ts';

const step = { title: 'Pay', call: 'POST /payments', status: 409, correlationId: 'rehearse-3' };
const failure = {
  version: 1,
  estate: '0.1.0',
  scenario: { name: 'own', title: 'Ünï', file: 'own.ts' },
  problem: 'expected 201',
  step,
} as const;
const file: EstateFile = { snapshot: { format: 'x', text: 'ä “\n' }, failure, scenario: 'export default {};\n' };

test('A world survives its file, with and without a failure', () => {
  expect(unpacked(packed(file))).toEqual(file);
  expect(unpacked(packed({ snapshot: {} }))).toEqual({ snapshot: {} });
});

const whole = packed(file);
const zipped = (files: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

/** An archive that declares more bytes than it has. */
function declaring(bytes: number): Uint8Array {
  const archive = packed({ snapshot: {} });
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const directory = view.getUint32(archive.length - 6, true);
  view.setUint32(directory + 24, bytes, true);
  return archive;
}

test.each([
  ['text', strToU8('hello'), /^It is not a ZIP archive, or is cut off: copy it again/],
  ['an empty file', new Uint8Array(), /^It is not a ZIP archive/],
  ['a file that is cut off', whole.slice(0, whole.length - 30), /^It is not a ZIP archive, or is cut off/],
  ['another archive', zipped({ 'readme.md': '' }), /^It has no snapshot\.json, but readme\.md: give a file that rehearse --report/],
  ['a snapshot that is not JSON', zipped({ 'snapshot.json': '{' }), /^snapshot\.json in it is not JSON: /],
  [
    'every mistake of a failure',
    zipped({ 'snapshot.json': '{', 'failure.json': '{"version":1,"estate":"1","scenario":{"name":"","title":"t"}}' }),
    /^snapshot\.json .*\nfailure\.json\/scenario\/name: .*\nfailure\.json\/problem: /,
  ],
  ['a file that unpacks to too much', declaring(0xffff_fff0), /^snapshot\.json in it must have at most 268435456 bytes\.$/],
])('A file is refused with place and remedy: %s', (_case, bytes, reason) => expect(() => unpacked(bytes)).toThrow(reason));
