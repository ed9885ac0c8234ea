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

export interface CollectedPoint {
  readonly service: string;
  readonly name: string;
  readonly unit: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The count of a histogram. */
  readonly value: number;
  readonly bucketCounts?: readonly number[];
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
interface Point {
  readonly attributes: Attributes;
  readonly asDouble?: number;
  readonly asInt?: number;
  readonly count?: number;
  readonly bucketCounts?: readonly number[];
}
interface ExportedMetrics {
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeMetrics: readonly {
      readonly metrics: readonly ({ readonly name: string; readonly unit: string } & Partial<
        Record<CollectedPoint['kind'], { readonly dataPoints: readonly Point[] }>
      >)[];
    }[];
  }[];
}
interface Export extends ExportedMetrics {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'service' | 'attributes'> & { attributes: Attributes })[];
    }[];
  }[];
}

const plain = (attributes: Attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function pointsIn({ resourceMetrics = [] }: ExportedMetrics): readonly CollectedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, unit, ...kinds }) =>
        (['sum', 'gauge', 'histogram'] as const).flatMap((kind) =>
          (kinds[kind]?.dataPoints ?? []).map(({ attributes, asDouble, asInt, count, bucketCounts }) => ({
            ...{ service: String(plain(resource.attributes)['service.name']), name, unit, kind, bucketCounts },
            ...{ attributes: plain(attributes), value: Number(asDouble ?? asInt ?? count) },
          })),
        ),
      ),
    ),
  );
}

/** A minimal collector of traces and metrics: OTLP over HTTP, in JSON. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  const paths = new Set<string>();
  /** Attributes of each service. */
  const services = new Map<string, Readonly<Record<string, unknown>>>();
  const server = await serving(async (request, response) => {
    paths.add(request.url ?? '');
    const { resourceSpans = [], ...metrics } = (await json(request)) as Export;
    points.push(...pointsIn(metrics));
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(plain(resource.attributes)['service.name']);
      services.set(service, plain(resource.attributes));
      for (const span of scopeSpans.flatMap(({ spans: found }) => found)) {
        spans.push({ ...span, service, attributes: plain(span.attributes), parentSpanId: span.parentSpanId || undefined });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { ...server, spans, points, paths, services };
}
