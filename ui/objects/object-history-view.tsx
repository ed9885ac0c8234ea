import { apiTitle, type Output, rehearsalLink } from '../data/data.ts';
import { Badge, duration, Empty, rehearsalTime, StatusBadge, wallTime } from '../kit/kit.ts';
import { type LifeCycle, verbOf } from '../life-cycle/life-cycle-graph.ts';
import type { Change } from './object-history.ts';
import css from './objects.module.css';

interface ObjectHistoryProps {
  readonly rehearsal: string;
  readonly type: string;
  readonly lifeCycle: LifeCycle | undefined;
  readonly history: readonly Change[];
}

/** The changes of an object, each with its event and its trace. */
export function ObjectHistory({ rehearsal, type, lifeCycle, history }: ObjectHistoryProps) {
  if (history.length === 0) {
    return (
      <Empty title="No event is about it.">
        <p class="muted">This {type} was there when the rehearsal began, or its changes have no events.</p>
      </Empty>
    );
  }
  return (
    <ol class={css['history']}>
      {history.map((change) => {
        const { eventId, name, at, version, correlationId, from, to, reason } = change;
        const verb = lifeCycle && verbOf(lifeCycle, change);
        return (
          <li key={eventId}>
            <p class="line">
              {to !== undefined && from !== to ? <Badge tone="good">{to}</Badge> : <Badge>{to ?? `version ${version}`}</Badge>}
              {verb !== undefined && <strong>{verb}</strong>}
              <span class="muted">{rehearsalTime(at)}</span>
              {reason !== undefined && <span class="brk">because: {reason}</span>}
            </p>
            <p class="line">
              <a class="event-text brk" href={rehearsalLink(rehearsal, 'events', eventId)}>
                {name}
              </a>
              {correlationId !== undefined && (
                <a class="brk" href={rehearsalLink(rehearsal, 'activity', correlationId)}>
                  trace {correlationId}
                </a>
              )}
            </p>
          </li>
        );
      })}
    </ol>
  );
}

type Trace = Output<'list-traces'>['items'][number];

export const ObjectTraces = ({ rehearsal, type, traces }: { rehearsal: string; type: string; traces: readonly Trace[] }) =>
  traces.length === 0 ? (
    <Empty title={`No trace has changed this ${type}.`} />
  ) : (
    <ul class="rows">
      {traces.map(({ correlationId, api, status, startedAt, durationMs }) => (
        <li key={correlationId}>
          <a href={rehearsalLink(rehearsal, 'activity', correlationId)} data-row="">
            <span class="what">{apiTitle(api)}</span>
            <span>
              <StatusBadge status={status} />
            </span>
            <span class="meta">
              <span>{wallTime(startedAt)}</span>
              <span>{duration(durationMs)}</span>
              <code class="clip">{correlationId}</code>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
