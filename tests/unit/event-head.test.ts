import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { extensionEvent } from '../../shared/catalog/event-names.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { contextFor } from '../../shared/control/context.ts';
import { eventHead } from '../../shared/domain/event-head.ts';
import type { World } from '../../shared/domain/world.ts';
import { envelope } from '../../shared/events/envelope.ts';
import { anyCharacter } from '../support/any-character.ts';

const customer = objects.find(({ type }) => type === 'customer');

function eventOf(correlationId: string, firstName: string): string {
  if (!customer) throw new Error('The catalog has no customer.');
  const context = contextFor(
    { world: 'r~1' as World, now: 1_000, faults: 0 },
    { principal: 'test', requestId: 'req_1', correlationId, withinMs: 5_000 },
  );
  const at = '1970-01-01T00:00:01.000Z';
  const object = { id: 'cus_1', version: 1, state: 'registered', firstName, createdAt: at, updatedAt: at };
  const open = { ...customer, schema: customer.schema.partial() };
  const type = extensionEvent('customer');
  return envelope({ application: 'crm', definition: open, type, object, previousState: undefined, context, causation: 'c', hopId: 'h' })
    .json;
}

test('The head of an event equals the head of the parsed event, whatever its texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (correlationId, firstName) => {
      const json = eventOf(correlationId, firstName);
      const { type, subject, correlationid } = JSON.parse(json) as Record<string, unknown>;
      expect(eventHead(json)).toMatchObject({ type, subject, correlationid });
    }),
  );
});

test('The head of an event is found without reading the object', () => {
  const json = eventOf('cor_1', 'Ada');
  const begun = json.slice(0, json.indexOf('"causationid"'));
  const type = 'com.unified-commerce.ext.customer-changed';
  expect(eventHead(begun)).toEqual({ type, subject: 'customer/cus_1', correlationid: 'cor_1' });
});

test('The head of an event is read from any other text, if it has one', () => {
  for (const text of ['', '{', 'null', '1', '[]']) expect(eventHead(text).type).toBeUndefined();
  expect(eventHead('{"type":"t","data":{"subject":"no"}}').subject).toBeUndefined();
  expect(eventHead('{ "subject": "s", "type": "t" }')).toMatchObject({ type: 't', subject: 's' });
});
