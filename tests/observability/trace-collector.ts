import { json } from 'node:stream/consumers';
import { serving } from '../conform/serving.ts';

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'service' | 'attributes'> & { attributes: Attributes })[];
    }[];
  }[];
}

const plain = (attributes: Attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A minimal collector of traces: OTLP over HTTP, in JSON. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const paths = new Set<string>();
  /** Attributes of each service. */
  const services = new Map<string, Readonly<Record<string, unknown>>>();
  const server = await serving(async (request, response) => {
    paths.add(request.url ?? '');
    const { resourceSpans } = (await json(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(plain(resource.attributes)['service.name']);
      services.set(service, plain(resource.attributes));
      for (const span of scopeSpans.flatMap(({ spans: found }) => found)) {
        spans.push({ ...span, service, attributes: plain(span.attributes), parentSpanId: span.parentSpanId || undefined });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { ...server, spans, paths, services };
}
