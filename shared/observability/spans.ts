import { topicOf } from '../catalog/applications.ts';
import type { ApiDefinition } from '../catalog/define.ts';
import { objects } from '../catalog/objects.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import type { SpanStart } from './observer.ts';

/** The spans of requests, calls and events, with names of OpenTelemetry's semantic conventions. */

type Requested = Pick<ApiDefinition, 'id' | 'method' | 'path'>;

interface Within {
  readonly traceparent?: string | undefined;
  readonly correlationId: string;
}

/** A request that an application answers. */
export const serverSpan = (
  { id, method, path }: Requested,
  { traceparent, correlationId, requestId, world }: Within & { readonly requestId: string; readonly world: World },
): SpanStart => ({
  kind: 'server',
  name: `${method} ${path}`,
  parent: traceparent,
  attributes: {
    'http.request.method': method,
    'http.route': path,
    'url.scheme': 'http',
    'uc.api': id,
    'uc.correlation_id': correlationId,
    'uc.request_id': requestId,
    'uc.rehearsal': rehearsalOf(world),
  },
});

/** A call of another application. */
export function clientSpan({ id, method, path }: Requested, url: string, { traceparent, correlationId }: Within): SpanStart {
  const { hostname, port } = new URL(url);
  return {
    kind: 'client',
    name: `${method} ${path}`,
    parent: traceparent,
    attributes: {
      'http.request.method': method,
      'url.full': url,
      'url.template': path,
      'server.address': hostname,
      'server.port': Number(port) || 80,
      'uc.api': id,
      'uc.correlation_id': correlationId,
    },
  };
}

interface PublishedEvent {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly traceparent?: string | undefined;
}

const ofEvent = (operation: 'send' | 'process', topic: string, { id, type, source, subject }: PublishedEvent) => ({
  'messaging.system': 'kafka',
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
  'messaging.destination.name': topic,
  'messaging.message.id': id,
  'cloudevents.event_id': id,
  'cloudevents.event_source': source,
  'cloudevents.event_type': type,
  'cloudevents.event_subject': subject,
});

/** An event that the relay of an application sends. */
export const sendSpan = (application: string, topic: string, key: string, event: PublishedEvent): SpanStart => ({
  kind: 'producer',
  name: `send ${topic}`,
  parent: event.traceparent,
  attributes: { ...ofEvent('send', topic, event), 'messaging.client.id': application, 'messaging.kafka.message.key': key },
});

/** An event that an application consumes. */
export function processSpan(application: string, event: PublishedEvent): SpanStart {
  const about = objects.find((object) => event.subject.startsWith(`${object.type}/`));
  const topic = about ? topicOf(about.domain) : 'unknown';
  return {
    kind: 'consumer',
    name: `process ${topic}`,
    parent: event.traceparent,
    attributes: { ...ofEvent('process', topic, event), 'messaging.consumer.group.name': application },
  };
}
