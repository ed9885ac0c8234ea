import { h } from 'preact';
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
  if (read.refusal?.code === 'not_found' && read.value === undefined) return h(UnknownEvent, { id });
  return h(
    'article',
    { class: 'card detail' },
    read.refusal && read.value && h(ProblemCard, { refusal: read.refusal, retry: read.reload }),
    drawn(read, (value) => h(KnownEvent, { rehearsal, value })),
  );
}

const UnknownEvent = ({ id }: { id: string }) =>
  h(
    'article',
    { class: 'card detail' },
    h(
      'div',
      { class: 'empty' },
      h(Heading, { title: 'Unknown event', small: true }, 'No event has this id'),
      h('p', {}, h('code', { class: 'brk' }, id)),
      h('p', { class: 'muted' }, 'The id is wrong, or it belongs to another rehearsal.'),
    ),
  );

function KnownEvent({ rehearsal, value }: { rehearsal: string; value: ReadEvent }) {
  const { order, topic, event, consumers } = value;
  const name = eventName(event);
  const { id, subject, time, correlationid } = event as Readonly<Record<'id' | 'subject' | 'time' | 'correlationid', string>>;
  const [type = '', objectId = ''] = subject.split('/');
  const key = event['partitionkey'];
  return [
    h(
      'header',
      { class: 'trace-head' },
      h(
        'div',
        {},
        h(
          'div',
          { class: 'line' },
          h(Heading, { title: `${name} · ${rehearsal}`, small: true }, name.replace(/^ext\./, '')),
          isAdditional(name) && h(Badge, {}, 'additional'),
          order === undefined && h(Badge, { tone: 'warn' }, 'not on the bus yet'),
        ),
        h('p', { class: 'muted' }, events[name]),
      ),
      h('div', { class: 'line' }, h(CopyButton, { what: 'Link', text: () => location.href, children: 'Copy link' })),
    ),
    h(
      'dl',
      { class: 'pairs in' },
      pair('Object', h('a', { href: rehearsalLink(rehearsal, 'objects', type, objectId), title: subject }, shortSubject(subject))),
      pair('Caused by', h('a', { href: rehearsalLink(rehearsal, 'activity', correlationid), class: 'brk' }, `trace ${correlationid}`)),
      pair('Topic', h('code', { class: 'brk' }, topic)),
      key !== undefined && pair('Key', h('code', { class: 'brk' }, String(key))),
      order !== undefined && pair('Place', `${order.toLocaleString('en')} on the bus`),
      pair('At', rehearsalTime(time)),
      pair('Id', h('code', { class: 'brk' }, id)),
    ),
    h(
      'section',
      { class: 'hop', 'aria-label': 'Consumers' },
      h('h2', {}, consumers.length === 0 ? 'Nobody subscribes to it' : `Consumed by ${counted(consumers.length, 'application')}`),
      consumers.length > 0 &&
        h(
          'ul',
          { class: 'consumers' },
          consumers.map((consumer) => h(ConsumerRow, { key: consumer.application, rehearsal, correlationId: correlationid, consumer })),
        ),
    ),
    h('section', { class: 'hop', 'aria-label': 'Payload' }, h('h2', {}, 'Payload'), h(JsonView, { value: event, label: 'Payload' })),
  ];
}

const pair = (term: string, value: Parameters<typeof h>[2]) => h('div', {}, h('dt', { class: 'muted' }, term), h('dd', {}, value));

const STATES: Readonly<Record<Consumer['state'], { readonly tone?: Tone; readonly words: string }>> = {
  consumed: { tone: 'good', words: '✓ consumed' },
  pending: { words: 'pending' },
  parked: { tone: 'bad', words: '! parked' },
  withheld: { tone: 'warn', words: '⚡ withheld' },
};

function ConsumerRow({ rehearsal, correlationId, consumer }: { rehearsal: string; correlationId: string; consumer: Consumer }) {
  const { application, state, attempts, requestId, status, error } = consumer;
  const { tone, words } = STATES[state];
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      h('strong', {}, applicationTitle(application)),
      h(Badge, { tone }, words),
      status !== undefined && h(StatusBadge, { status }),
      attempts > 1 && h('span', { class: 'muted' }, counted(attempts, 'attempt')),
      requestId !== undefined &&
        h(
          'a',
          { href: withQuery(rehearsalLink(rehearsal, 'activity', correlationId), { hop: requestId }) },
          `How ${applicationTitle(application)} handled it`,
        ),
    ),
    error !== undefined && h('p', { class: 'refused brk' }, error),
  );
}
