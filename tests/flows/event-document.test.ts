import { expect, test } from '@jest/globals';
import { estate, newRehearsal } from '../support/estate.ts';
import { payloadSchema } from '../support/event-document.ts';

test('Published events match the AsyncAPI document', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const document = (await (await fetch(`${estate.gateway}/asyncapi.json`)).json()) as Parameters<typeof payloadSchema>[0] & {
    components: { schemas: { CloudEvent: { properties: object } } };
  };
  await rehearsal.dispatchedOrder();
  await rehearsal.advance('P2D');
  await rehearsal.api('create-customer-api', { body: { email: 'zoe@people.example', firstName: 'Zoe', lastName: 'Marsh' } });
  await rehearsal.cancel((await rehearsal.draft()).id);
  const events = await rehearsal.events({ ext: true });
  const schemas = new Map<string, ReturnType<typeof payloadSchema>>();
  for (const event of events) {
    const name = event.type.replace('com.unified-commerce.', '');
    const schema = schemas.get(name) ?? payloadSchema(document, name);
    schemas.set(name, schema);
    expect([name, schema.safeParse(event).error]).toEqual([name, undefined]);
    expect(Object.keys(document.components.schemas.CloudEvent.properties)).toEqual(expect.arrayContaining(Object.keys(event)));
  }
  expect(schemas.size).toBeGreaterThan(15);
});
