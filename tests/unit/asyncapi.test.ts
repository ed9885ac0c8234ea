import { expect, test } from '@jest/globals';
import { domains, topicOf } from '../../shared/catalog/applications.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { type EventServers, estateAsyncApi } from '../../shared/contract/asyncapi/document.ts';
import { payloadSchema } from '../support/event-document.ts';

interface Operation {
  readonly action: 'send' | 'receive';
  readonly messages: readonly { readonly $ref: string }[];
}
interface Document {
  readonly asyncapi: string;
  readonly info: { readonly version: string };
  readonly channels: Readonly<Record<string, { readonly address: string; readonly messages: object }>>;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: {
    readonly messages: Readonly<
      Record<string, { readonly description?: string; readonly examples?: readonly { readonly payload: { readonly data: unknown } }[] }>
    >;
    readonly schemas: object;
  };
}

const document = JSON.parse(JSON.stringify(estateAsyncApi('1.2.3', { kafka: ['kafka-1:9092', 'kafka-2:9092'] }))) as Document;
const named = allEvents.map((event) => [event.name, event] as const);
const ownerOf = (object: string) => objects.find(({ type }) => type === object);

/** The messages of the operations that an application has on the topic of a domain. */
const messagesOf = (operation: string): string[] =>
  (document.operations[operation]?.messages ?? []).map(({ $ref }) => $ref.split('/').at(-1) ?? '');

// biome-ignore lint/suspicious/noExplicitAny: a test names the members that it reads
const documentOf = (events: EventServers): any => JSON.parse(JSON.stringify(estateAsyncApi('1', events)));

test('The AsyncAPI document names the brokers of the estate, and only these', () => {
  const brokers = ['kafka-1:9092', 'kafka-2:9092'];
  expect(documentOf({ kafka: brokers }).servers.kafka.variables.broker).toMatchObject({ default: brokers[0], enum: brokers });
  expect(documentOf({ kafka: [] }).servers.kafka.variables.broker.default).toBeUndefined();
  const { servers, channels } = documentOf('memory');
  expect(Object.keys(servers)).toEqual(['gateway']);
  expect(JSON.stringify(channels)).not.toContain('#/servers/kafka');
});

test('The AsyncAPI document names the prefixed topics of a shared broker with TLS', () => {
  const { servers, channels } = documentOf({ kafka: ['kafka:9093'], isSecure: true, prefix: 'team-a.' });
  expect([servers.kafka.protocol, channels.order.address]).toEqual(['kafka-secure', 'team-a.uc.order.events']);
});

test('The AsyncAPI document is AsyncAPI 3.0, and has the eight topics, each with exactly the events of its objects', () => {
  expect([document.asyncapi, document.info.version]).toEqual(['3.0.0', '1.2.3']);
  for (const domain of domains) {
    const { address, messages } = document.channels[domain] ?? {};
    const events = allEvents.filter(({ object }) => ownerOf(object)?.domain === domain);
    expect([address, Object.keys(messages ?? {})]).toEqual([topicOf(domain), events.map(({ name }) => name)]);
  }
  expect(Object.keys(document.channels)).toEqual([...domains, 'carrier-webhook']);
});

test('The AsyncAPI document describes when a dispatched parcel has its tracking number', () => {
  expect(document.components.messages['ext.fulfillment-order-changed']?.description).toContain('shipment-label-generated');
});

test.each(named)('The AsyncAPI document names the sender and the receivers of %s', (name, { object, subscribers = [] }) => {
  const { owner, domain } = ownerOf(object) ?? {};
  expect(messagesOf(`${owner}-sends-${domain}-events`)).toContain(name);
  const receiving = Object.entries(document.operations).filter(([id, { action }]) => action === 'receive' && messagesOf(id).includes(name));
  expect(receiving.map(([id]) => id).toSorted()).toEqual(
    subscribers.map(({ application }) => `${application}-receives-${domain}-events`).toSorted(),
  );
});

test.each(named)(
  'The AsyncAPI document has an example of %s that fits its own schema and the object of the catalog',
  (name, { object }) => {
    const schema = payloadSchema(document, name);
    const [example, ...more] = document.components.messages[name]?.examples ?? [];
    expect(more).toEqual([]);
    expect(schema.safeParse(example?.payload)).toMatchObject({ success: true });
    expect(schema.safeParse({ ...example?.payload, type: 'com.unified-commerce.else' }).success).toBe(false);
    expect(schema.safeParse({ ...example?.payload, data: {} }).success).toBe(false);
    const data = example?.payload.data as { object: unknown };
    expect(ownerOf(object)?.schema.strict().safeParse(data.object)).toMatchObject({ success: true });
  },
);

test('The AsyncAPI document has an example of a webhook that fits its own schema', () => {
  const example = document.components.messages['carrier-webhook']?.examples?.[0];
  expect(payloadSchema(document, 'carrier-webhook').safeParse(example?.payload)).toMatchObject({ success: true });
  expect(messagesOf('carrier-platform-sends-webhooks')).toEqual(['carrier-webhook']);
  expect(messagesOf('fms-receives-webhooks')).toEqual(['carrier-webhook']);
});

test('The AsyncAPI document names every header of a record on Kafka', () => {
  const { headers } = document.components.messages['order-created'] as unknown as { readonly headers: { readonly $ref: string } };
  expect(headers.$ref).toBe('#/components/schemas/RecordHeaders');
  const { properties } = (document.components.schemas as Readonly<Record<string, { readonly properties: object }>>)['RecordHeaders'] ?? {};
  const sent = ['id', 'world', 'rehearsal', 'content-type', 'ce_type', 'fault', 'hop', 'traceparent'];
  expect(Object.keys(properties ?? {})).toEqual(sent);
});
