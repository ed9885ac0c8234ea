import { createObservability, type Observability } from '../shared/observability/observability.ts';
import type { Configuration } from './configuration.ts';

/** Metrics always, traces only with a collector: the packages for traces are loaded only then. */
export async function startObservability({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
}: Configuration): Promise<Observability> {
  if (endpoint === undefined) return createObservability();
  const { startTracing } = await import('../shared/observability/tracing.ts');
  return createObservability({ tracing: await startTracing({ endpoint, headers }) });
}
