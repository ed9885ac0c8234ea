import { describe, expect, test } from '@jest/globals';
import { preludeFor } from '../../shared/store/redis/lua/prelude.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';

/** Names that a text declares at the beginnings of lines. */
const declaredIn = (source: string): readonly string[] =>
  [...source.matchAll(/^local (?:function )?([\w, ]+)/gm)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));

describe('A script of the Redis adapter', () => {
  test('begins with the functions that it uses, and with those that they use', () => {
    expect(declaredIn(preludeFor('return int(now())'))).toEqual(['root', 'channel', 'position', 'int', 'wallTime', 'wall', 'now']);
    expect(preludeFor('return 1')).toBe('');
  });

  test.each(Object.values(scripts))('named $name begins with nothing that it does not use', ({ source }) => {
    const [prelude = ''] = source.split('\n\n');
    const uses = (name: string): number => source.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
    const unused = prelude.split('\n').filter((line) => line.startsWith('local ') && declaredIn(line).every((name) => uses(name) < 2));
    expect(unused).toEqual([]);
  });
});
