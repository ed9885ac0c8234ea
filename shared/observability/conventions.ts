import { apis } from '../catalog/apis.ts';
import { type Application, topicOf } from '../catalog/applications.ts';
import type { ApiDefinition } from '../catalog/define.ts';
import { allEvents } from '../catalog/events.ts';
import { internalCalls } from '../catalog/internal-calls.ts';
import { objects } from '../catalog/objects.ts';
import type { AnsweredRequest, ConsumedEvent, MadeCall } from './observer.ts';

/** Metrics and labels of OpenTelemetry's semantic conventions, as Prometheus writes them: with underscores, and the unit behind the name. */

/** The name of a metric in OTLP, and its unit. */
export const CONVENTIONAL: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  http_server_request_duration_seconds: { name: 'http.server.request.duration', unit: 's' },
  http_client_request_duration_seconds: { name: 'http.client.request.duration', unit: 's' },
  messaging_process_duration_seconds: { name: 'messaging.process.duration', unit: 's' },
  messaging_client_sent_messages_total: { name: 'messaging.client.sent.messages', unit: '{message}' },
};

/** The names of labels in OTLP. The estate's own labels keep their names; spans have the same `uc.api`. */
export const ATTRIBUTES: Readonly<Record<string, string>> = {
  api: 'uc.api',
  ...Object.fromEntries(
    [
      ...['http.request.method', 'http.response.status_code', 'http.route', 'url.scheme', 'url.template', 'server.address', 'error.type'],
      ...['messaging.system', 'messaging.operation.name', 'messaging.destination.name', 'messaging.consumer.group.name'],
    ].map((name) => [name.replaceAll('.', '_'), name]),
  ),
};

/** The conventions replace other methods, so that a client cannot add series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const CALLS: Readonly<Record<string, ApiDefinition>> = { ...apis, ...internalCalls };
/** The topic of each event. */
const TOPICS = new Map(
  allEvents.map(({ name, object }) => [name, objects.flatMap(({ type, domain }) => (type === object ? topicOf(domain) : []))[0]]),
);

export const methodOf = (method: string): string => (METHODS.has(method) ? method : '_OTHER');

export const requestLabels = ({ method, route, status }: AnsweredRequest) => ({
  http_request_method: methodOf(method),
  http_route: route,
  url_scheme: 'http',
  ...outcome(status, status === 0 ? 'broken off' : undefined, 500),
});

export function callLabels({ api, status, failure }: MadeCall) {
  const { method, path, application } = CALLS[api] ?? {};
  return {
    ...(method && { http_request_method: method, url_template: path, server_address: application }),
    ...outcome(status, failure, 400),
  };
}

export const processLabels = ({ type, done }: ConsumedEvent, application: Application | 'gateway') => ({
  ...messaging('process', type),
  messaging_consumer_group_name: application,
  ...(!done && { error_type: 'failed' }),
});

export const sendLabels = (type: string) => messaging('send', type);

const messaging = (operation: string, type: string) => ({
  type,
  messaging_system: 'kafka',
  messaging_operation_name: operation,
  messaging_destination_name: TOPICS.get(type) ?? 'unknown',
});

/** @param errorsFrom the lowest status that counts as an error */
function outcome(status: number, failure: string | undefined, errorsFrom: number) {
  const error = failure ?? (status >= errorsFrom ? String(status) : undefined);
  return { ...(status !== 0 && { http_response_status_code: status }), ...(error !== undefined && { error_type: error }) };
}
