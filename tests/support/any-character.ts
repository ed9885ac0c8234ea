import fc from 'fast-check';

const SURROGATES_BEGIN = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff;

function numberOf(text: unknown): number {
  const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('not one character');
  return point < SURROGATES_BEGIN ? point : point - SURROGATES;
}

/**
 * Any character of Unicode, as the unit of random strings. The unit `binary` of fast-check has the same characters, but lists them all
 * when a process first uses it, which takes about a second.
 */
export const anyCharacter = fc
  .nat(LAST - SURROGATES)
  .map((number) => String.fromCodePoint(number < SURROGATES_BEGIN ? number : number + SURROGATES), numberOf);
