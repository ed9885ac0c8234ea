import { applicationTitle, drawn, rehearsalLink, useReread, useResource } from '../data/data.ts';
import { Badge, Card, CopyButton, Empty, Heading, JsonView, rehearsalTime, shortId } from '../kit/kit.ts';
import { LifeCycle } from '../life-cycle/life-cycle.tsx';
import { lifeCycleGraph } from '../life-cycle/life-cycle-graph.ts';
import { type Action, actionsOf } from './actions.ts';
import { type Near, nearOf } from './near.tsx';
import { type ActionGroup, ObjectActions } from './object-actions.tsx';
import { ObjectHistory, ObjectTraces } from './object-history-view.tsx';
import { ObjectRows } from './object-list.tsx';
import { type ReadObject, readObject } from './object-read.ts';
import { ObjectStock } from './object-stock.tsx';
import { UnknownType } from './object-types.tsx';
import css from './objects.module.css';
import { viewOf } from './views.tsx';
import { Why } from './why.tsx';
import { whyNot } from './why-not.ts';

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

/** Objects whose possible actions stand on the page of another one: the next step of an order is often one of its parcel. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  order: ['payment', 'fulfillment-order', 'shipment', 'return'],
  'fulfillment-order': ['shipment'],
  return: ['shipment'],
};
const NAMES: Readonly<Record<string, string>> = {
  shipment: 'Parcel',
  return: 'Return over',
  payment: 'Payment of',
  'fulfillment-order': 'Fulfillment order',
};

function KnownObject({ rehearsal, type, id, found, reload }: ObjectPageProps & { found: Found; reload: () => void }) {
  const { json, owner, state, lifeCycle, history, traces, stock } = found;
  const { version, updatedAt } = json;
  const near = nearOf(rehearsal, found.related, found.names);
  const label = stock[0]?.name ?? (found.label && near.label(type, found.label));
  const view = viewOf(type, json, near);
  const groups = groupsOf({ type, id, near, found });
  const isStock = stock.length > 0;
  return (
    <div class="stack">
      <div class="title">
        <div class="line">
          <Heading title={`${label ?? id} · ${type}`}>
            {NAMES[type] ?? type.charAt(0).toUpperCase() + type.slice(1).replaceAll('-', ' ')} {label ?? shortId(id)}
          </Heading>
          {state && <Badge tone="good">{state}</Badge>}
        </div>
        <a href={rehearsalLink(rehearsal, 'objects', type)}>← All of type {type}</a>
      </div>
      {state !== undefined && <Why rehearsal={rehearsal} near={near} explanation={found.explanation} onChange={reload} />}
      <div class={css['columns']}>
        <div class="stack">
          {view?.sections.map(({ title, content }) => (
            <Card key={title} title={title}>
              {content}
            </Card>
          ))}
          {isStock && (
            <Card title="Stock by location">
              <ObjectStock items={stock} obstacle={whyNot(found.applications, owner)} onCounted={reload} />
            </Card>
          )}
          {!isStock && (
            <div class={`stack ${css['late']}`}>
              {lifeCycle && (
                <Card title="Life cycle">
                  <LifeCycle type={type} graph={lifeCycleGraph(lifeCycle, state, history)} />
                </Card>
              )}
              <Card title="Traces">
                <ObjectTraces rehearsal={rehearsal} type={type} traces={traces} />
              </Card>
            </div>
          )}
        </div>
        <div class="stack">
          {groups.length > 0 && (
            <Card title="What can be done next">
              <ObjectActions rehearsal={rehearsal} groups={groups} onDone={reload} />
            </Card>
          )}
          <Card title="About it">
            <dl class="in pairs">
              {view?.facts.map(([name, value]) => (
                <div key={name}>
                  <dt class="muted">{name}</dt>
                  <dd class="brk">{value}</dd>
                </div>
              ))}
              <div>
                <dt class="muted">Id</dt>
                <dd class="line">
                  <code class="brk">{id}</code>
                  <CopyButton what="Id" text={() => id}>
                    Copy id
                  </CopyButton>
                </dd>
              </div>
              <div>
                <dt class="muted">Kept by</dt>
                <dd>
                  {applicationTitle(owner)}
                  {typeof version === 'number' && `, version ${version}`}
                  {typeof updatedAt === 'string' && `, changed ${rehearsalTime(updatedAt)}`}
                </dd>
              </div>
            </dl>
          </Card>
          {!isStock && (
            <div class={`stack ${css['late']}`}>
              <Card title="How it got there">
                <ObjectHistory rehearsal={rehearsal} type={type} lifeCycle={lifeCycle} history={history} />
              </Card>
              <Card title="Related objects">
                <Related rehearsal={rehearsal} near={near} found={found} />
              </Card>
            </div>
          )}
        </div>
      </div>
      <Json type={type} json={json} />
    </div>
  );
}

/** The actions of the object, and the possible ones of its parts. */
function groupsOf({ type, id, near, found }: { type: string; id: string; near: Near; found: Found }): readonly ActionGroup[] {
  const actions = (of: {
    readonly type: string;
    readonly id: string;
    readonly state?: string;
    readonly object: Found['json'];
  }): readonly Action[] => {
    const owner = found.types.find((one) => one.type === of.type)?.owner ?? found.owner;
    const moves = found.lifeCycles.find((one) => one.type === of.type)?.moves ?? [];
    return actionsOf({ ...of, state: of.state, moves, near, whyNot: (application = owner) => whyNot(found.applications, application) });
  };
  const isOf = ({ object }: Found['related'][number]) => object['orderId'] === id;
  const isPart = (one: Found['related'][number]) =>
    type !== 'order' ||
    isOf(one) ||
    found.related.some((other) => isOf(other) && (one.object['fulfillmentOrderId'] === other.id || one.object['returnId'] === other.id));
  const parts = (PARTS[type] ?? []).flatMap((part) =>
    found.related
      .filter((one) => one.type === part && isPart(one))
      .map((one) => ({
        title: `${NAMES[part]} ${one.label === undefined ? shortId(one.id) : near.label(part, one.label)}, ${one.state}`,
        actions: actions(one).filter(({ obstacle }) => obstacle === undefined),
      })),
  );
  const own = { title: undefined, actions: actions({ type, id, state: found.state, object: found.json }) };
  return [own, ...parts].filter((group) => group.actions.length > 0);
}

const Json = ({ type, json }: { type: string; json: Found['json'] }) => (
  <Card title="As JSON">
    <div class="in">
      <JsonView value={json} label={`${type} as JSON`} />
    </div>
  </Card>
);

function Related({ rehearsal, near, found: { refersTo, together, related } }: { rehearsal: string; near: Near; found: Found }) {
  if (refersTo.length === 0 && together.length === 0) return <Empty title="It refers to no object." />;
  const nameOf = (type: string, id: string) =>
    near.label(type, related.find((one) => one.type === type && one.id === id)?.label ?? shortId(id));
  const links = (title: string, objects: Found['refersTo']) =>
    objects.length > 0 && (
      <>
        <h3>{title}</h3>
        <ul class="line" aria-label={title}>
          {objects.map(({ type, id }) => (
            <li key={`${type}/${id}`}>
              <a class="badge" href={rehearsalLink(rehearsal, 'objects', type, id)} title={`${type}/${id}`}>
                <span class="clip">
                  {type} {nameOf(type, id)}
                </span>
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
