import { createObservability, type Observability } from '../shared/observability/observability.ts';
import type { Configuration } from './configuration.ts';

/** What this process shows of itself. Nothing that makes traces is loaded unless somebody collects them. */
export async function observing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Configuration): Promise<Observability> {
  if (endpoint === undefined) return createObservability();
  const { startTracing } = await import('../shared/observability/tracing.ts');
  return createObservability({ tracing: await startTracing({ endpoint }) });
}
