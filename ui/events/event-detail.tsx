import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { events } from '../data/catalog.ts';
import {
  applicationTitle,
  control,
  drawn,
  eventName,
  isAdditional,
  type Output,
  rehearsalLink,
  useBeginning,
  useFrames,
  useResource,
  withQuery,
} from '../data/data.ts';
import {
  Badge,
  CopyButton,
  counted,
  Heading,
  JsonView,
  ProblemCard,
  rehearsalTime,
  StatusBadge,
  shortSubject,
  type Tone,
} from '../kit/kit.ts';

const REFRESH_MS = 300;
type ReadEvent = Output<'read-event'>;
type Consumer = ReadEvent['consumers'][number];

/** An event: publisher, data, and the outcome at each subscriber. */
export function EventDetail({ rehearsal, id }: { rehearsal: string; id: string }) {
  const read = useResource(id, (signal) => control('read-event', { params: { id } }, { signal }));
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(due.current), []);
  const reload = (): void => {
    clearTimeout(due.current);
    due.current = setTimeout(read.reload, REFRESH_MS);
  };
  const correlationId = read.value?.event['correlationid'];
  useFrames('hops', (hops) => hops.some((hop) => hop.correlationId === correlationId) && reload());
  useFrames('faults', reload);
  useFrames('gap', reload);
  useBeginning(reload);
  if (read.refusal?.code === 'not_found' && read.value === undefined) return <UnknownEvent id={id} />;
  return (
    <article class="card detail">
      {read.refusal && read.value && <ProblemCard refusal={read.refusal} retry={read.reload} />}
      {drawn(read, (value) => (
        <KnownEvent rehearsal={rehearsal} value={value} />
      ))}
    </article>
  );
}

const UnknownEvent = ({ id }: { id: string }) => (
  <article class="card detail">
    <div class="empty">
      <Heading title="Unknown event" small>
        No event has this id
      </Heading>
      <p>
        <code class="brk">{id}</code>
      </p>
      <p class="muted">The id is wrong, or it belongs to another rehearsal.</p>
    </div>
  </article>
);

function KnownEvent({ rehearsal, value }: { rehearsal: string; value: ReadEvent }) {
  const { order, topic, event, consumers } = value;
  const name = eventName(event);
  const { id, subject, time, correlationid } = event as Readonly<Record<'id' | 'subject' | 'time' | 'correlationid', string>>;
  const [type = '', objectId = ''] = subject.split('/');
  const key = event['partitionkey'];
  return (
    <>
      <header class="trace-head">
        <div>
          <div class="line">
            <Heading title={`${name} · ${rehearsal}`} small>
              {name.replace(/^ext\./, '')}
            </Heading>
            {isAdditional(name) && <Badge>additional</Badge>}
            {order === undefined && <Badge tone="warn">not on the bus yet</Badge>}
          </div>
          <p class="muted">{events[name]}</p>
        </div>
        <div class="line">
          <CopyButton what="Link" text={() => location.href}>
            Copy link
          </CopyButton>
        </div>
      </header>
      <dl class="pairs in">
        <Pair term="Object">
          <a href={rehearsalLink(rehearsal, 'objects', type, objectId)} title={subject}>
            {shortSubject(subject)}
          </a>
        </Pair>
        <Pair term="Caused by">
          <a href={rehearsalLink(rehearsal, 'activity', correlationid)} class="brk">
            trace {correlationid}
          </a>
        </Pair>
        <Pair term="Topic">
          <code class="brk">{topic}</code>
        </Pair>
        {key !== undefined && (
          <Pair term="Key">
            <code class="brk">{String(key)}</code>
          </Pair>
        )}
        {order !== undefined && <Pair term="Place">{order.toLocaleString('en')} on the bus</Pair>}
        <Pair term="At">{rehearsalTime(time)}</Pair>
        <Pair term="Id">
          <code class="brk">{id}</code>
        </Pair>
      </dl>
      <section class="hop" aria-label="Consumers">
        <h2>{consumers.length === 0 ? 'Nobody subscribes to it' : `Consumed by ${counted(consumers.length, 'application')}`}</h2>
        {consumers.length > 0 && (
          <ul class="consumers">
            {consumers.map((consumer) => (
              <ConsumerRow key={consumer.application} rehearsal={rehearsal} correlationId={correlationid} consumer={consumer} />
            ))}
          </ul>
        )}
      </section>
      <section class="hop" aria-label="Payload">
        <h2>Payload</h2>
        <JsonView value={event} label="Payload" />
      </section>
    </>
  );
}

const Pair = ({ term, children }: { term: string; children: ComponentChildren }) => (
  <div>
    <dt class="muted">{term}</dt>
    <dd>{children}</dd>
  </div>
);

const STATES: Readonly<Record<Consumer['state'], { readonly tone?: Tone; readonly words: string }>> = {
  consumed: { tone: 'good', words: '✓ consumed' },
  pending: { words: 'pending' },
  parked: { tone: 'bad', words: '! parked' },
  withheld: { tone: 'warn', words: '⚡ withheld' },
};

function ConsumerRow({ rehearsal, correlationId, consumer }: { rehearsal: string; correlationId: string; consumer: Consumer }) {
  const { application, state, attempts, requestId, status, error } = consumer;
  const { tone, words } = STATES[state];
  return (
    <li>
      <div class="line">
        <strong>{applicationTitle(application)}</strong>
        <Badge tone={tone}>{words}</Badge>
        {status !== undefined && <StatusBadge status={status} />}
        {attempts > 1 && <span class="muted">{counted(attempts, 'attempt')}</span>}
        {requestId !== undefined && (
          <a href={withQuery(rehearsalLink(rehearsal, 'activity', correlationId), { hop: requestId })}>
            How {applicationTitle(application)} handled it
          </a>
        )}
      </div>
      {error !== undefined && <p class="refused brk">{error}</p>}
    </li>
  );
}
