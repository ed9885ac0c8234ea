import { apiTitle, applicationTitle, changedQuery, rehearsalLink, route, withQuery } from '../data/data.ts';
import type { Trace } from '../data/trace-feed.ts';
import { Badge, counted, duration, StatusBadge, wallTime } from '../kit/kit.ts';

/** Name, status and duration belong to the worst request, or the latest of several. */
export function TraceRow({ trace, rehearsal, isSelected }: { trace: Trace; rehearsal: string; isSelected: boolean }) {
  const { correlationId, api, application, status, requests } = trace;
  const { hop: _hop, view: _view, ...query } = changedQuery(route.value.query, {});
  return (
    <li>
      <a
        href={withQuery(rehearsalLink(rehearsal, 'activity', correlationId), query)}
        data-row=""
        aria-current={isSelected ? 'true' : undefined}
      >
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
          {trace.faults.map((fault) => (
            <Badge key={fault} tone="warn">
              ⚡ <span class="clip">{fault}</span>
            </Badge>
          ))}
        </span>
      </a>
    </li>
  );
}
