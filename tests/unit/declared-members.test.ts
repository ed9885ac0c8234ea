import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { getOrder } from '../../shared/catalog/order/apis.ts';
import { declaredMembers, declaredMembersOnce, filterResponse } from '../../shared/contract/validation.ts';

const Shape = z.object({ id: z.string(), note: z.string().optional(), tags: z.record(z.string(), z.number()).optional() });
const Closed = z.strictObject({ id: z.string() });

test('The declared members of a value equal the members of its JSON', () => {
  for (const value of [
    { id: 'a', private: 1 },
    { id: 'a', note: undefined },
    { id: 'a', tags: { x: 1, y: undefined } },
  ]) {
    const { data } = declaredMembers(Shape, value);
    expect(JSON.parse(JSON.stringify(data))).toEqual(Shape.parse(JSON.parse(JSON.stringify(value))));
  }
});

test('The declared members of a value fit a closed schema when other members are undefined', () => {
  expect(declaredMembers(Closed, { id: 'a', other: undefined }).data).toEqual({ id: 'a' });
  expect(declaredMembers(Closed, { id: 'a', other: 1 }).success).toBe(false);
});

const Api = { ...getOrder, response: z.object({ lines: z.array(Shape) }) };

test('A response loses members that the catalog does not declare', () =>
  expect(filterResponse(Api, { lines: [{ id: 'a', private: 1 }] }, { strict: false })).toEqual({ lines: [{ id: 'a' }] }));

test('A response with undeclared members is refused in tests, and its error names the first', () => {
  expect(filterResponse(Api, { lines: [{ id: 'a', private: undefined }] }, { strict: true })).toEqual({ lines: [{ id: 'a' }] });
  expect(() => filterResponse(Api, { lines: [{ id: 'a', private: 1 }] }, { strict: true })).toThrow('does not declare: /lines/0/private');
});

test('A response is refused when a member does not fit', () =>
  expect(() => filterResponse(Api, { lines: [{ id: 1 }] }, { strict: false })).toThrow('does not match its schema: /lines/0/id'));

test('The same object is validated once for a schema, again for another schema, and again after a refusal', () => {
  let checks = 0;
  const counted = Shape.refine(() => {
    checks += 1;
    return true;
  });
  const basket = { id: 'a', private: 1 };
  for (let answer = 0; answer < 3; answer++) expect(declaredMembersOnce(counted, basket).data).toEqual({ id: 'a' });
  expect(checks).toBe(1);
  expect(declaredMembersOnce(z.object({ private: z.number() }), basket).data).toEqual({ private: 1 });
  expect(declaredMembersOnce(counted, { ...basket }).data).toEqual({ id: 'a' });
  expect(checks).toBe(2);
  const wrong: { id: unknown } = { id: 1 };
  expect(declaredMembersOnce(Shape, wrong).success).toBe(false);
  wrong.id = 'a';
  expect(declaredMembersOnce(Shape, wrong).success).toBe(true);
});
