import { useState } from 'preact/hooks';
import { act, advance, clock, control, linkHere, offState, unlessOff, withQuery } from '../data/data.ts';
import {
  Badge,
  counted,
  duration,
  Empty,
  FaultLink,
  GrowingRows,
  rehearsalSecond,
  StatusBadge,
  shortSubject,
  useListInUse,
} from '../kit/kit.ts';
import { DELIVERY_STATES } from './delivery-states.ts';
import { type Delivery, useDeliveries, type Webhook } from './webhook-read.ts';
import css from './webhooks.module.css';

type Attempt = Delivery['attempts'][number];

/** What was sent to a receiver, newest first, with each attempt and a button that makes another. */
export function Deliveries({ webhook, onChange }: { webhook: Webhook; onChange: () => void }) {
  const { name, state } = webhook;
  const use = useListInUse();
  const feed = useDeliveries(name, use.isInUse);
  const redeliver = ({ id, event: { type } }: Delivery): Promise<void> =>
    act(`redeliver ${id}`, async () => {
      await control('redeliver-webhook', { params: { name, id } });
      feed.reload();
      onChange();
      return `${type} is sent to ${name} again.`;
    });
  const rows = feed.items?.map((delivery) => (
    <DeliveryRow key={delivery.id} delivery={delivery} redeliver={state === 'active' ? () => void redeliver(delivery) : undefined} />
  ));
  return (
    <GrowingRows
      use={use}
      label="Deliveries"
      class="card"
      feeds={[feed]}
      filters={
        <header>
          <h2>Deliveries to {name}</h2>
          <NextAttempt deliveries={feed.items ?? []} />
        </header>
      }
      rows={<ul class={`items ${css['deliveries']}`}>{rows}</ul>}
      empty={<NothingYet webhook={webhook} />}
    />
  );
}

/** A button that advances the rehearsal's clock to the next attempt. */
function NextAttempt({ deliveries }: { deliveries: readonly Delivery[] }) {
  const now = clock.value?.now ?? '';
  const [next] = deliveries.flatMap(({ nextAttemptAt: at = '' }) => (Date.parse(at) > Date.parse(now) ? [at] : [])).toSorted();
  if (next === undefined) return null;
  return (
    <button type="button" aria-disabled={offState()} onClick={unlessOff(() => void advance({ to: next }))}>
      Advance to {rehearsalSecond(next)}
    </button>
  );
}

interface DeliveryRowProps {
  readonly delivery: Delivery;
  /** Absent: the webhook is disabled. */
  readonly redeliver: (() => void) | undefined;
}

function DeliveryRow({ delivery, redeliver }: DeliveryRowProps) {
  const { id, event, state, attempts, withheldBy } = delivery;
  const [isOpen, setOpen] = useState(false);
  const [type = '', objectId = ''] = event.subject.split('/');
  const { tone, words } = DELIVERY_STATES[state];
  const newestFirst = attempts.toReversed();
  return (
    <li data-delivery={id}>
      <div class="line">
        <a class={`event-text ${css['event']}`} href={linkHere('events', event.id)} data-row="">
          {event.type.replace(/^ext\./, '')}
        </a>
        {event.type.startsWith('ext.') && <Badge>additional</Badge>}
        <Badge tone={tone}>{words}</Badge>
        {withheldBy !== undefined && <FaultLink>withheld by {withheldBy}</FaultLink>}
      </div>
      {redeliver && (
        <button type="button" aria-disabled={offState()} onClick={unlessOff(redeliver)}>
          Redeliver<span class="unseen"> no. {id}</span>
        </button>
      )}
      <p class="muted small line">
        <span>no. {id}</span>
        <a href={linkHere('objects', type, objectId)} title={event.subject}>
          {shortSubject(event.subject)}
        </a>
        <a href={linkHere('activity', event.correlationId)} title={event.correlationId}>
          trace<span class="unseen"> of no. {id}</span>
        </a>
        <NextStep delivery={delivery} />
      </p>
      {newestFirst.length > 0 && (
        <ul class={css['attempts']}>
          {(isOpen ? newestFirst : newestFirst.slice(0, 1)).map((attempt) => (
            <AttemptRow key={attempt.requestId} correlationId={event.correlationId} attempt={attempt} />
          ))}
        </ul>
      )}
      {attempts.length > 1 && (
        <p>
          <button type="button" class="quiet flush" aria-expanded={isOpen ? 'true' : 'false'} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Latest attempt only' : `All ${counted(attempts.length, 'attempt')}`}
            <span class="unseen"> of no. {id}</span>
          </button>
        </p>
      )}
    </li>
  );
}

/** Why a delivery waits, and until when. */
function NextStep({ delivery: { state, nextAttemptAt, withheldBy } }: { delivery: Delivery }) {
  if (nextAttemptAt !== undefined && state !== 'delivered') return <span>next attempt {rehearsalSecond(nextAttemptAt)}</span>;
  if (withheldBy !== undefined) return <span>sent when the fault is switched off</span>;
  if (state === 'waiting') return <span>after the earlier delivery about this object</span>;
  return null;
}

interface AttemptRowProps {
  readonly correlationId: string;
  readonly attempt: Attempt;
}

const AttemptRow = ({ correlationId, attempt: { at, durationMs, status, answer, error, requestId } }: AttemptRowProps) => (
  <li>
    <p class="line">
      {status === 0 ? <Badge tone="bad">no answer</Badge> : <StatusBadge status={status} />}
      <a class="small" href={withQuery(linkHere('activity', correlationId), { hop: requestId })}>
        {rehearsalSecond(at)}
        <span class="unseen">: this attempt in its trace</span>
      </a>
      <span class="muted small">{duration(durationMs)}</span>
    </p>
    {answer !== undefined && (
      <p>
        <code class="brk">{answer}</code>
      </p>
    )}
    {error !== undefined && <p class="small brk">{error}</p>}
  </li>
);

const NothingYet = ({ webhook: { state } }: { webhook: Webhook }) => (
  <Empty title="Nothing has been sent to it yet.">
    <p class="muted">
      {state === 'active'
        ? 'The next event of its types appears here, with each attempt and the answer of the receiver.'
        : 'It is disabled: events are not sent to it until it is enabled again.'}
    </p>
    <a class="button" href={linkHere('events')}>
      See the events
    </a>
  </Empty>
);
