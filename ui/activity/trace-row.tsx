import { apiTitle, applicationTitle, changedQuery, clockTime, linkHere, type Output, route, withQuery } from '../data/data.ts';
import { Badge, counted, duration, FaultBadges, Row, StatusBadge, wallTime } from '../kit/kit.ts';

export type Trace = Output<'list-traces'>['items'][number];

/** Name, status and duration belong to the worst request, or the latest of several. */
export function TraceRow({ trace, isSelected = false }: { trace: Trace; isSelected?: boolean }) {
  const { correlationId, api, application, status, requests, at, startedAt, durationMs, calls, events, deliveries, failed, faults } = trace;
  const { hop: _hop, view: _view, ...query } = changedQuery(route.value.query, {});
  return (
    <Row
      href={withQuery(linkHere('activity', correlationId), query)}
      isCurrent={isSelected}
      what={[apiTitle(api), requests > 1 && <span class="muted"> +{requests - 1}</span>]}
      badge={<StatusBadge status={status} />}
      meta={[
        <Happened at={at} startedAt={startedAt} />,
        applicationTitle(application),
        duration(durationMs),
        calls > 0 && counted(calls, 'call'),
        events > 0 && counted(events, 'event'),
        deliveries > 0 && counted(deliveries, 'delivery', 'deliveries'),
        failed > 0 && status < 400 && <Badge tone="warn">{failed} failed inside</Badge>,
        <FaultBadges faults={faults} />,
      ]}
    />
  );
}

interface HappenedProps {
  /** The rehearsal's clock. */
  readonly at: string;
  /** Wall time. */
  readonly startedAt: string;
}

/** When a trace or a hop began, on the rehearsal's clock; the tooltip has the wall time. */
export const Happened = ({ at, startedAt }: HappenedProps) => <span title={`${wallTime(startedAt)} your time`}>{clockTime(at)}</span>;
