import type { z } from 'zod';
import type { listTraces } from '../../shared/catalog/control/operations/traces.ts';
import { searchForm } from '../../shared/domain/text.ts';
import type { StoredTrace } from '../../shared/store/ports/traces.ts';

export type TraceQuery = z.output<typeof listTraces.query>;

/** The outcome that a status stands for. Status 0: no answer was sent. */
function outcomeOf(status: number): TraceQuery['status'] {
  if (status === 0 || status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

/** The filters that a summary suffices for. @returns undefined when there are none */
export function summaryFilter({ q, application, api, status, fault }: TraceQuery): ((trace: StoredTrace) => boolean) | undefined {
  const text = q && searchForm(q);
  const criteria = [
    text !== undefined && ((trace: StoredTrace) => textsOf(trace).some((one) => searchForm(one).includes(text))),
    application !== undefined && ((trace: StoredTrace) => trace.applications.includes(application)),
    api !== undefined && ((trace: StoredTrace) => trace.apis.includes(api)),
    status !== undefined && ((trace: StoredTrace) => outcomeOf(trace.status) === status),
    fault !== undefined && ((trace: StoredTrace) => trace.faults.includes(fault)),
  ].filter((criterion) => criterion !== false);
  return criteria.length === 0 ? undefined : (trace) => criteria.every((fits) => fits(trace));
}

const textsOf = ({ correlationId, path, status, apis, applications, faults }: StoredTrace): readonly string[] => [
  correlationId,
  path,
  String(status),
  ...apis,
  ...applications,
  ...faults,
];
