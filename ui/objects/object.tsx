import { applicationTitle, drawn, rehearsalLink, useReread, useResource } from '../data/data.ts';
import { Badge, Card, CopyButton, Empty, Heading, JsonView, rehearsalTime, shortId } from '../kit/kit.ts';
import { LifeCycle } from '../life-cycle/life-cycle.tsx';
import { lifeCycleGraph } from '../life-cycle/life-cycle-graph.ts';
import { FulfillmentWait } from './fulfillment-wait-card.tsx';
import { ObjectHistory, ObjectTraces } from './object-history-view.tsx';
import { ObjectRows } from './object-list.tsx';
import { type ReadObject, readObject } from './object-read.ts';
import { ObjectStock } from './object-stock.tsx';
import { UnknownType } from './object-types.tsx';
import { ObjectVerbs, verbsOf, whyNot } from './object-verbs.tsx';

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
    if (found.kind === 'unknown-type') return <UnknownType rehearsal={rehearsal} type={type} />;
    return found.kind === 'object' ? (
      <KnownObject {...props} found={found} reload={read.reload} />
    ) : (
      <UnknownObject {...props} newest={found.newest} />
    );
  });
}

type Found = Extract<ReadObject, { kind: 'object' }>;

function KnownObject({ rehearsal, type, id, found, reload }: ObjectPageProps & { found: Found; reload: () => void }) {
  const { json, owner, label, state, lifeCycle, history, traces, stock, away } = found;
  const verbs = lifeCycle ? verbsOf(lifeCycle.moves, state) : [];
  const obstacle = whyNot(owner, away);
  const { version, updatedAt } = json;
  const isStock = stock.length > 0;
  return (
    <div class="stack">
      <div class="title">
        <div class="line">
          <Heading title={`${label ?? id} · ${type}`}>{label ?? shortId(id)}</Heading>
          {state && <Badge tone="good">{state}</Badge>}
        </div>
        <a href={rehearsalLink(rehearsal, 'objects', type)}>← All of type {type}</a>
      </div>
      <p class="muted line">
        <code class="brk">
          {type}/{id}
        </code>
        <CopyButton what="Id" text={() => id}>
          Copy id
        </CopyButton>
        <span>in {applicationTitle(owner)}</span>
        {typeof version === 'number' && <span>version {version}</span>}
        {typeof updatedAt === 'string' && <span>changed {rehearsalTime(updatedAt)}</span>}
      </p>
      <div class="object-columns">
        {!isStock && (
          <div class="stack beside">
            {type === 'fulfillment-order' && (
              <FulfillmentWait rehearsal={rehearsal} state={state} parcels={parcelsOf(json)} onChange={reload} />
            )}
            {verbs.length > 0 && (
              <Card title="Play the outside world">
                <ObjectVerbs type={type} id={id} state={state} verbs={verbs} obstacle={obstacle} onPlayed={reload} />
              </Card>
            )}
            <Card title="How it got there">
              <ObjectHistory rehearsal={rehearsal} type={type} lifeCycle={lifeCycle} history={history} />
            </Card>
          </div>
        )}
        <div class="stack">
          {lifeCycle && (
            <Card title="Life cycle">
              <LifeCycle type={type} graph={lifeCycleGraph(lifeCycle, state, history)} />
            </Card>
          )}
          {isStock && (
            <Card title="Stock by location">
              <ObjectStock items={stock} obstacle={obstacle} onCounted={reload} />
            </Card>
          )}
          {!isStock && (
            <Card title="Traces">
              <ObjectTraces rehearsal={rehearsal} type={type} traces={traces} />
            </Card>
          )}
          {!isStock && (
            <Card title="Related objects">
              <Related rehearsal={rehearsal} found={found} />
            </Card>
          )}
        </div>
        {isStock && (
          <div class="stack beside">
            <Json type={type} json={json} />
          </div>
        )}
      </div>
      {!isStock && <Json type={type} json={json} />}
    </div>
  );
}

/** Ids of the parcels of a fulfillment order. */
const parcelsOf = ({ shipments }: Found['json']): readonly string[] =>
  Array.isArray(shipments) ? shipments.map(({ id }: { readonly id: string }) => id) : [];

const Json = ({ type, json }: { type: string; json: Found['json'] }) => (
  <Card title="As JSON">
    <div class="in">
      <JsonView value={json} label={`${type} as JSON`} />
    </div>
  </Card>
);

function Related({ rehearsal, found: { refersTo, together } }: { rehearsal: string; found: Found }) {
  if (refersTo.length === 0 && together.length === 0) return <Empty title="It refers to no object." />;
  const links = (title: string, objects: Found['refersTo']) =>
    objects.length > 0 && (
      <>
        <h3>{title}</h3>
        <ul class="line" aria-label={title}>
          {objects.map(({ type, id }) => (
            <li key={`${type}/${id}`}>
              <a class="badge" href={rehearsalLink(rehearsal, 'objects', type, id)} title={`${type}/${id}`}>
                {type}/{shortId(id)}
              </a>
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <div class="in stack-tight">
      {links('It refers to', refersTo)}
      {links('Changed in the same traces', together)}
    </div>
  );
}

const UnknownObject = ({
  rehearsal,
  type,
  id,
  newest,
}: ObjectPageProps & { newest: Extract<ReadObject, { kind: 'unknown-object' }>['newest'] }) => (
  <div class="stack">
    <Heading title={`Unknown ${type}`}>
      There is no {type} <code class="brk">{id}</code>
    </Heading>
    <p class="muted">
      {newest.length > 0
        ? 'The id is wrong, or it belongs to another rehearsal. These are the newest:'
        : `This rehearsal has no ${type} yet.`}
    </p>
    {newest.length > 0 && (
      <Card label={`Newest of type ${type}`}>
        <ObjectRows rehearsal={rehearsal} type={type} items={newest} />
      </Card>
    )}
    <p>
      <a class="button" href={rehearsalLink(rehearsal, 'objects')}>
        All types
      </a>
    </p>
  </div>
);
