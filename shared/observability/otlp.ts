import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Observed } from './observer.ts';

/** A collector that receives OTLP over HTTP. */
export interface Collector {
  /** Base address: `http://collector:4318`. */
  readonly endpoint: string;
  /** Version of the estate. */
  readonly version: string;
  /** Headers that every export sends. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Address and headers of an export. */
export const exportTo = ({ endpoint, headers }: Collector, signal: 'traces' | 'metrics') => ({
  url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}`,
  headers: headers && { ...headers },
});

/** An application, as the source of spans and metrics. */
export const resourceOf = (application: Observed, { version }: Collector): Resource =>
  defaultResource().merge(
    resourceFromAttributes({ 'service.name': application, 'service.namespace': 'unified-commerce', 'service.version': version }),
  );
