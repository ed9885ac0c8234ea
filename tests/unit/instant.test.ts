import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AnyInstant } from '../../shared/catalog/shapes.ts';
import { compareInstants, parseInstant } from '../../shared/domain/instant.ts';

const normalised = (text: string): string | undefined => {
  const parsed = AnyInstant.safeParse(text);
  return parsed.success ? parsed.data : undefined;
};

test.each([
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00.5Z', '2026-03-01T10:00:00.500Z'],
  ['2026-03-01T10:00:00.1239999Z', '2026-03-01T10:00:00.123Z'],
  ['2026-03-01t10:00:00z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00-00:00', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T00:30:00+01:00', '2026-02-28T23:30:00.000Z'],
  ['2026-03-01T10:00:00.25-05:30', '2026-03-01T15:30:00.250Z'],
  ['2024-02-29T23:59:59+23:59', '2024-02-29T00:00:59.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0000-12-31T23:59:59-00:01', '0001-01-01T00:00:59.000Z'],
])('The instant %s is kept as %s', (text, kept) => expect(normalised(text)).toBe(kept));

test.each([
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2017-01-01T05:29:60.5+05:30', '2016-12-31T23:59:59.999Z'],
])('The leap second %s is kept as the last millisecond of its minute, %s', (text, kept) => expect(normalised(text)).toBe(kept));

test.each([
  ...['2026-03-01T10:00:60Z', '2026-03-01T23:59:60Z', '2026-03-01T10:00:61Z', '2026-02-29T10:00:00Z', '2026-02-30T10:00:00Z'],
  ...['2026-13-01T10:00:00Z', '2026-00-10T10:00:00Z', '2026-03-00T10:00:00Z', '2026-03-01T24:00:00Z', '2026-03-01T25:00:00Z'],
  ...['2026-03-01T10:60:00Z', '2026-03-01T10:00:00', '2026-03-01T10:00Z', '2026-03-01 10:00:00Z', '2026-03-01', '2026-03-01T10:00:00.Z'],
  ...['2026-03-01T10:00:00,5Z', '2026-03-01T10:00:00+24:00', '2026-03-01T10:00:00+01:60', '2026-03-01T10:00:00+0100'],
  ...['2026-03-01T10:00:00+01', '+002026-03-01T10:00:00Z', '-000001-03-01T10:00:00Z', '10000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '2026-03-01T10:00:00Z ', '٢٠٢٦-03-01T10:00:00Z', ''],
])('The text %j does not count as an instant', (text) => expect(normalised(text)).toBeUndefined());

const written = fc.record({
  at: fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true }),
  offset: fc.integer({ min: -1_439, max: 1_439 }),
  digits: fc.integer({ min: 3, max: 12 }),
  small: fc.boolean(),
});
const text = ({ at, offset, digits, small }: { at: Date; offset: number; digits: number; small: boolean }): string => {
  const local = new Date(at.getTime() + offset * 60_000)
    .toISOString()
    .slice(0, -1)
    .padEnd(20 + digits, '7');
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) => String(part).padStart(2, '0'));
  const whole = `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
  return small ? whole.toLowerCase() : whole;
};

test('Instants in different forms are equal, and sorted by time', () => {
  fc.assert(
    fc.property(written, written, (one, other) => {
      expect(parseInstant(text(one))).toBe(one.at.getTime());
      const [a, b] = [normalised(text(one)) ?? '', normalised(text(other)) ?? ''];
      expect(a).toBe(one.at.toISOString());
      expect(Math.sign(compareInstants(a, b))).toBe(Math.sign(one.at.getTime() - other.at.getTime()));
    }),
  );
});
