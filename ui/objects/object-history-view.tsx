import { Happened } from '../activity/trace-row.tsx';
import { apiTitle, linkHere, type Output } from '../data/data.ts';
import { Badge, duration, Empty, Row, rehearsalTime, StatusBadge } from '../kit/kit.ts';
import { type LifeCycle, verbOf } from '../life-cycle/life-cycle-graph.ts';
import type { Change } from './object-history.ts';

interface ObjectHistoryProps {
  readonly type: string;
  readonly lifeCycle: LifeCycle | undefined;
  readonly history: readonly Change[];
}

/** The changes of an object, each with its event and its trace. */
export function ObjectHistory({ type, lifeCycle, history }: ObjectHistoryProps) {
  if (history.length === 0) {
    return (
      <Empty title="No event is about it.">
        <p class="muted">This {type} was there when the rehearsal began, or its changes have no events.</p>
      </Empty>
    );
  }
  return (
    <ol class="lined">
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
              <a class="event-text brk" href={linkHere('events', eventId)}>
                {name}
              </a>
              {correlationId !== undefined && (
                <a class="brk" href={linkHere('activity', correlationId)}>
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

export const ObjectTraces = ({ type, traces, hasHistory }: { type: string; traces: readonly Trace[]; hasHistory: boolean }) =>
  traces.length === 0 ? (
    <Empty
      title={
        hasHistory
          ? 'The journal of this rehearsal lacks its traces. If the rehearsal continues another one, that journal has them.'
          : `No trace has changed this ${type}.`
      }
    />
  ) : (
    <ul class="rows">
      {traces.map(({ correlationId, api, status, at, startedAt, durationMs }) => (
        <Row
          key={correlationId}
          href={linkHere('activity', correlationId)}
          what={apiTitle(api)}
          badge={<StatusBadge status={status} />}
          meta={[<Happened at={at} startedAt={startedAt} />, duration(durationMs), <code class="clip">{correlationId}</code>]}
        />
      ))}
    </ul>
  );
