import { events } from '../data/catalog.ts';
import { applicationTitle, drawn, linkHere, type Output, useRead, withQuery } from '../data/data.ts';
import {
  Badge,
  CopyButton,
  counted,
  Heading,
  JsonView,
  NotFound,
  Pair,
  ProblemCard,
  rehearsalTime,
  StatusBadge,
  shortSubject,
  type Tone,
} from '../kit/kit.ts';
import { eventFacts } from './event-row.tsx';
import { EventWebhooks } from './event-webhooks.tsx';
import css from './events.module.css';

type ReadEvent = Output<'read-event'>;
type Consumer = ReadEvent['consumers'][number];

/** An event: publisher, data, and the outcome at each subscriber. */
export function EventDetail({ id }: { id: string }) {
  const read = useRead(
    'read-event',
    { params: { id } },
    {
      follows: ['hops', 'faults', 'gap'],
      concerns: ([kind, data], value) => kind !== 'hops' || data.some((hop) => hop.correlationId === value?.event['correlationid']),
    },
  );
  const isUnknown = read.refusal?.code === 'not_found' && read.value === undefined;
  return (
    <>
      {read.refusal && read.value && <ProblemCard refusal={read.refusal} retry={read.reload} />}
      {isUnknown ? (
        <NotFound title="Unknown event" words="No event has this id" id={id}>
          <p class="muted">The id is wrong, or it belongs to another rehearsal.</p>
        </NotFound>
      ) : (
        drawn(read, (value) => <KnownEvent value={value} />)
      )}
    </>
  );
}

function KnownEvent({ value }: { value: ReadEvent }) {
  const { order, topic, event, consumers } = value;
  const { id, name, title, isAdditional, subject, time, correlationid } = eventFacts(event);
  const [type = '', objectId = ''] = subject.split('/');
  const key = event['partitionkey'];
  return (
    <>
      <header>
        <div>
          <div class="line">
            <Heading title={name} small>
              {title}
            </Heading>
            {isAdditional && <Badge>additional</Badge>}
            {order === undefined && <Badge tone="warn">not on the bus yet</Badge>}
          </div>
          <p class="muted">{events[name]}</p>
        </div>
        <CopyButton what="Link" text={() => `${location.origin}${linkHere('events', id)}${location.search}`}>
          Copy link
        </CopyButton>
      </header>
      <div class={css['sides']}>
        <div>
          {' '}
          <dl class="pairs in">
            <Pair term="Object">
              <a href={linkHere('objects', type, objectId)} title={subject}>
                {shortSubject(subject)}
              </a>
            </Pair>
            <Pair term="Caused by">
              <a href={linkHere('activity', correlationid)}>trace {correlationid}</a>
            </Pair>
            <Pair term="Topic">
              <code>{topic}</code>
            </Pair>
            {key !== undefined && (
              <Pair term="Key">
                <code>{String(key)}</code>
              </Pair>
            )}
            {order !== undefined && <Pair term="Place">{order.toLocaleString('en')} on the bus</Pair>}
            <Pair term="At">{rehearsalTime(time)}</Pair>
            <Pair term="Id">
              <code>{id}</code>
            </Pair>
          </dl>
          <section class="part" aria-label="Consumers">
            <h2>
              {consumers.length === 0 ? 'No application subscribes to it' : `Consumed by ${counted(consumers.length, 'application')}`}
            </h2>
            {consumers.length > 0 && (
              <ul class="lined">
                {consumers.map((consumer) => (
                  <ConsumerRow key={consumer.application} correlationId={correlationid} consumer={consumer} />
                ))}
              </ul>
            )}
          </section>
          <EventWebhooks id={id} correlationId={correlationid} />
        </div>{' '}
        <section class="part" aria-label="Payload">
          <h2>Payload</h2>
          <JsonView value={event} label="Payload" />
        </section>
      </div>{' '}
    </>
  );
}

const STATES: Readonly<Record<Consumer['state'], { readonly tone?: Tone; readonly words: string }>> = {
  consumed: { tone: 'good', words: '✓ consumed' },
  pending: { words: 'pending' },
  parked: { tone: 'bad', words: '! parked' },
  withheld: { tone: 'warn', words: '⚡ withheld' },
};

function ConsumerRow({ correlationId, consumer }: { correlationId: string; consumer: Consumer }) {
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
          <a href={withQuery(linkHere('activity', correlationId), { hop: requestId })}>How {applicationTitle(application)} handled it</a>
        )}
      </div>
      {error !== undefined && <p class="problem">{error}</p>}
    </li>
  );
}
