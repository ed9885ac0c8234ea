import { expect, test } from '@jest/globals';
import { hardenCommand } from '../../../command-line/harden/harden.ts';
import { sameAsOf, userSystem } from '../../../command-line/harden/user-system.ts';
import { aFolder } from '../../support/folder.ts';

test.each<[args: readonly string[], message: string]>([
  [['--budget', '10'], '--budget 10: give a number above zero with s, m or h, such as 10m.'],
  [['--budget', '0m'], '--budget 0m: give a number above zero with s, m or h, such as 10m.'],
  [['--url', 'localhost:3000/{rehearsal}x y'], '--url localhost:3000/{rehearsal}x y: give an address with {rehearsal},'],
  [['--url', 'http://localhost:3000'], '--url http://localhost:3000: give an address with {rehearsal},'],
  [['--same-as', 'order'], '--same-as order: give a type and an address, such as order=http://localhost:3000/orders/{id}.'],
  [['--same-as', 'ordr=http://localhost/{id}'], 'There is no type of object ordr; did you mean order?'],
  [['--same-as', 'order=http://localhost/'], '--same-as order: the address begins with http and has {id}, not http://localhost/.'],
  [['--from', 'kept'], '--from kept: an estate that is started for the run has no kept world.'],
  [['--against', 'http://127.0.0.1:1', '--from', 'kept', '--starts-at', '2026-01-01T00:00:00Z'], '--starts-at: the kept world in --from'],
  [['--pairs'], '--pairs may try two thousand pairs. Limit it with --budget, such as --pairs --budget 10m.'],
  [['--parallel', '65'], '--parallel 65: give a number from 1 to 64.'],
  [['--patience', '1d'], '--patience 1d: give an ISO 8601 duration, such as P1D or PT2H.'],
  [['--only', 'lost'], 'There is no family of misfortunes lost'],
])('harden refuses %j before an estate is started', (args, message) =>
  expect(hardenCommand().parseAsync([...args, '--', 'true'], { from: 'user' })).rejects.toThrow(message),
);

const system = { command: ['true'], gateway: 'http://127.0.0.1:8080', admin: 'admin' };

test('A check in a file that does not exist, or exports no function, is refused', async () => {
  await using folder = await aFolder();
  const file = await folder.write('check.mjs', 'export const other = 1;');
  await expect(userSystem({ ...system, check: folder.at('nothing.ts') })).rejects.toThrow(
    'nothing.ts: the file does not exist. Give a file that exports a function, or a command.',
  );
  await expect(userSystem({ ...system, check: file })).rejects.toThrow('exports no check; export a function as default.');
});

test('The option --same-as compares nothing when the story leaves no object of its type, or the system returns none as the estate does', async () => {
  const { unfit } = await userSystem({ ...system, sameAs: [sameAsOf('order=http://localhost/{id}')] });
  expect(unfit?.('{"orders":0}')).toBe(
    'The story leaves no order to compare. Let your system return it at http://localhost/{id}, with the members of the estate.',
  );
  expect(unfit?.('--same-as order 1: status 404')).toContain('Without any misfortune: --same-as order 1: status 404.');
  expect(unfit?.('--same-as order 1: status 404\n--same-as order 2: the same')).toBeUndefined();
});
