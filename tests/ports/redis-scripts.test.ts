import { expect, test } from '@jest/globals';
import { scriptOf } from '../../shared/store/redis/lua/prelude.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';

/** Names that a script declares at the beginning of a line. */
const declaredIn = (source: string): readonly string[] =>
  [...source.matchAll(/^local (?:function )?([\w, ]+)/gm)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));

test('A script begins with the functions that it uses, directly or indirectly', () => {
  expect(declaredIn(scriptOf('return int(now())'))).toEqual([
    'root',
    'channel',
    'position',
    'int',
    'loaded',
    'wallTime',
    'wall',
    'readClock',
    'now',
  ]);
  expect(scriptOf('return 1')).toBe('return 1');
});

test('A comment in a script includes no function', () => {
  expect(scriptOf('-- The time is now().\nreturn 1')).toBe('return 1');
});

test.each(Object.values(scripts))('Script $name declares nothing that it does not use', ({ source }) => {
  const uses = (name: string): number => source.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
  const unused = source.split('\n').filter((line) => line.startsWith('local ') && declaredIn(line).every((name) => uses(name) < 2));
  expect(unused).toEqual([]);
});
