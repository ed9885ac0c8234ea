import { apiTitle, applicationTitle, changedQuery, linkHere, type Output, route, withQuery } from '../data/data.ts';
import { Badge, counted, duration, FaultBadges, StatusBadge, wallTime } from '../kit/kit.ts';

export type Trace = Output<'list-traces'>['items'][number];

/** Name, status and duration belong to the worst request, or the latest of several. */
export function TraceRow({ trace, isSelected }: { trace: Trace; isSelected: boolean }) {
  const { correlationId, api, application, status, requests } = trace;
  const { hop: _hop, view: _view, ...query } = changedQuery(route.value.query, {});
  return (
    <li>
      <a href={withQuery(linkHere('activity', correlationId), query)} data-row="" aria-current={isSelected ? 'true' : undefined}>
        <span class="what">
          {apiTitle(api)}
          {requests > 1 && <span class="muted"> +{requests - 1}</span>}
        </span>
        <span>
          <StatusBadge status={status} />
        </span>
        <span class="meta">
          <span>{wallTime(trace.startedAt)}</span>
          <span>{applicationTitle(application)}</span>
          <span>{duration(trace.durationMs)}</span>
          {trace.calls > 0 && <span>{counted(trace.calls, 'call')}</span>}
          {trace.events > 0 && <span>{counted(trace.events, 'event')}</span>}
          {trace.failed > (status >= 400 ? 1 : 0) && status < 400 && <Badge tone="warn">{trace.failed} failed inside</Badge>}
          <FaultBadges faults={trace.faults} />
        </span>
      </a>
    </li>
  );
}
