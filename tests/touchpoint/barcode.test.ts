import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkDigit, isEan13 } from '../../shared/domain/barcode.ts';

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(''));

test.each([
  ['EAN-13', '400638133393', '1'],
  ['UPC-A', '03600029145', '2'],
  ['EAN-8', '9638507', '4'],
  ['price-embedded label', '210123400499', '9'],
])('The check digit of the %s %s is %s', (_kind, payload, digit) => expect(checkDigit(payload)).toBe(digit));

test('The check digit makes twelve digits an EAN-13, and every single wrong digit is recognised', () => {
  const property = fc.property(digits(12), fc.nat(12), fc.integer({ min: 1, max: 9 }), (payload, position, shift) => {
    const code = payload + checkDigit(payload);
    const wrong = (Number(code[position]) + shift) % 10;
    return isEan13(code) && !isEan13(code.slice(0, position) + wrong + code.slice(position + 1));
  });
  fc.assert(property);
});

test.each(['', '12a', ' 12', '-1', '１２'])('The check digit of "%s" is refused', (payload) =>
  expect(() => checkDigit(payload)).toThrow(RangeError),
);

test.each(['', '800000000001', '80000000000190', '800000000001X', '8000000000010'])('"%s" is not an EAN-13', (code) =>
  expect(isEan13(code)).toBe(false),
);
