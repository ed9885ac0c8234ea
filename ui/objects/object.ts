import { h } from 'preact';
import { applicationTitle, drawn, rehearsalLink, useReread, useResource } from '../data/data.ts';
import { Badge, Card, CopyButton, Empty, Heading, JsonView, rehearsalTime, shortId } from '../kit/kit.ts';
import { LifeCycle } from '../life-cycle/life-cycle.ts';
import { lifeCycleGraph } from '../life-cycle/life-cycle-graph.ts';
import { FulfillmentWait } from './fulfillment-wait-card.ts';
import { ObjectHistory, ObjectTraces } from './object-history-view.ts';
import { ObjectRows } from './object-list.ts';
import { type ReadObject, readObject } from './object-read.ts';
import { ObjectStock } from './object-stock.ts';
import { UnknownType } from './object-types.ts';
import { ObjectVerbs, verbsOf, whyNot } from './object-verbs.ts';

interface ObjectPageProps {
  readonly rehearsal: string;
  readonly type: string;
  readonly id: string;
}

/** One business object: its state, how it got there, and what the outside world can do with it. */
export function ObjectPage(props: ObjectPageProps) {
  const { rehearsal, type, id } = props;
  const read = useResource(`${rehearsal} ${type}/${id}`, (signal) => readObject(type, id, signal));
  useReread(['hops', 'events', 'gap'], read.reload);
  return drawn(read, (found) => {
    if (found.kind === 'unknown-type') return h(UnknownType, { rehearsal, type });
    return found.kind === 'object'
      ? h(KnownObject, { ...props, found, reload: read.reload })
      : h(UnknownObject, { ...props, newest: found.newest });
  });
}

type Found = Extract<ReadObject, { kind: 'object' }>;

function KnownObject({ rehearsal, type, id, found, reload }: ObjectPageProps & { found: Found; reload: () => void }) {
  const { json, owner, label, state, lifeCycle, history, traces, stock, away } = found;
  const verbs = lifeCycle ? verbsOf(lifeCycle.moves, state) : [];
  const obstacle = whyNot(owner, away);
  const { version, updatedAt } = json;
  const isStock = stock.length > 0;
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(
        'div',
        { class: 'line' },
        h(Heading, { title: `${label ?? id} · ${type}` }, label ?? shortId(id)),
        state && h(Badge, { tone: 'good' }, state),
      ),
      h('a', { href: rehearsalLink(rehearsal, 'objects', type) }, `← All of type ${type}`),
    ),
    h(
      'p',
      { class: 'muted line' },
      h('code', { class: 'brk' }, `${type}/${id}`),
      h(CopyButton, { what: 'Id', text: () => id, children: 'Copy id' }),
      h('span', {}, `in ${applicationTitle(owner)}`),
      typeof version === 'number' && h('span', {}, `version ${version}`),
      typeof updatedAt === 'string' && h('span', {}, `changed ${rehearsalTime(updatedAt)}`),
    ),
    h(
      'div',
      { class: 'object-columns' },
      !isStock &&
        h(
          'div',
          { class: 'stack beside' },
          type === 'fulfillment-order' && h(FulfillmentWait, { rehearsal, state, parcels: parcelsOf(json), onChange: reload }),
          verbs.length > 0 &&
            h(Card, { title: 'Play the outside world' }, h(ObjectVerbs, { type, id, state, verbs, obstacle, onPlayed: reload })),
          h(Card, { title: 'How it got there' }, h(ObjectHistory, { rehearsal, type, lifeCycle, history })),
        ),
      h(
        'div',
        { class: 'stack' },
        lifeCycle && h(Card, { title: 'Life cycle' }, h(LifeCycle, { type, graph: lifeCycleGraph(lifeCycle, state, history) })),
        isStock && h(Card, { title: 'Stock by location' }, h(ObjectStock, { items: stock, obstacle, onCounted: reload })),
        !isStock && h(Card, { title: 'Traces' }, h(ObjectTraces, { rehearsal, type, traces })),
        !isStock && h(Card, { title: 'Related objects' }, h(Related, { rehearsal, found })),
      ),
      isStock && h('div', { class: 'stack beside' }, h(Json, { type, json })),
    ),
    !isStock && h(Json, { type, json }),
  );
}

/** Ids of the parcels of a fulfillment order. */
const parcelsOf = ({ shipments }: Found['json']): readonly string[] =>
  Array.isArray(shipments) ? shipments.map(({ id }: { readonly id: string }) => id) : [];

const Json = ({ type, json }: { type: string; json: Found['json'] }) =>
  h(Card, { title: 'As JSON' }, h('div', { class: 'in' }, h(JsonView, { value: json, label: `${type} as JSON` })));

function Related({ rehearsal, found: { refersTo, together } }: { rehearsal: string; found: Found }) {
  if (refersTo.length === 0 && together.length === 0) return h(Empty, { title: 'It refers to no object.' });
  const links = (title: string, objects: Found['refersTo']) =>
    objects.length > 0 && [
      h('h3', {}, title),
      h(
        'ul',
        { class: 'line', 'aria-label': title },
        objects.map(({ type, id }) =>
          h(
            'li',
            { key: `${type}/${id}` },
            h(
              'a',
              { class: 'badge', href: rehearsalLink(rehearsal, 'objects', type, id), title: `${type}/${id}` },
              `${type}/${shortId(id)}`,
            ),
          ),
        ),
      ),
    ];
  return h('div', { class: 'in stack-tight' }, links('It refers to', refersTo), links('Changed in the same traces', together));
}

const UnknownObject = ({
  rehearsal,
  type,
  id,
  newest,
}: ObjectPageProps & { newest: Extract<ReadObject, { kind: 'unknown-object' }>['newest'] }) =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: `Unknown ${type}` }, `There is no ${type} `, h('code', { class: 'brk' }, id)),
    h(
      'p',
      { class: 'muted' },
      newest.length > 0
        ? 'The id is wrong, or it belongs to another rehearsal. These are the newest:'
        : `This rehearsal has no ${type} yet.`,
    ),
    newest.length > 0 && h(Card, { label: `Newest of type ${type}` }, h(ObjectRows, { rehearsal, type, items: newest })),
    h('p', {}, h('a', { class: 'button', href: rehearsalLink(rehearsal, 'objects') }, 'All types')),
  );
