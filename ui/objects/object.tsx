import { applicationTitle, drawn, linkHere, useResource } from '../data/data.ts';
import { Card, CopyButton, Empty, JsonView, ObjectBadges, PageHead, Pair, rehearsalTime, shortId, Unknown } from '../kit/kit.ts';
import { LifeCycle } from '../life-cycle/life-cycle.tsx';
import { lifeCycleGraph } from '../life-cycle/life-cycle-graph.ts';
import { type Action, actionsOf } from './actions.ts';
import { Away } from './away.tsx';
import { type Near, nearOf } from './near.tsx';
import { type ActionGroup, ObjectActions } from './object-actions.tsx';
import { ObjectHistory, ObjectTraces } from './object-history-view.tsx';
import { ObjectTable } from './object-list.tsx';
import { MOST_TRACES, partsOf, type ReadObject, readObject } from './object-read.ts';
import { ObjectStock } from './object-stock.tsx';
import { UnknownType } from './object-types.tsx';
import css from './objects.module.css';
import { StateBadge } from './state-badge.tsx';
import { usualOf } from './story.ts';
import { viewOf } from './views.tsx';
import { hasNextStep, Why } from './why.tsx';
import { manyOf, oneOf, whyNot } from './words.ts';

interface ObjectPageProps {
  readonly type: string;
  readonly id: string;
}

/** One business object: its state, how it got there, and what the outside world can do with it. */
export function ObjectPage(props: ObjectPageProps) {
  const { type, id } = props;
  const read = useResource(`${type}/${id}`, (signal) => readObject(type, id, signal), { follows: ['hops', 'events', 'gap'] });
  return drawn(read, (found) => {
    if (found.kind === 'unknown-type') return <UnknownType type={type} />;
    return found.kind === 'object' ? (
      <KnownObject {...props} found={found} reload={read.reload} />
    ) : (
      <UnknownObject {...props} newest={found.newest} />
    );
  });
}

type Found = Extract<ReadObject, { kind: 'object' }>;

const NAMES: Readonly<Record<string, string>> = {
  shipment: 'Parcel',
  return: 'Return over',
  payment: 'Payment of',
  'fulfillment-order': 'Fulfillment order',
};

function KnownObject({ type, id, found, reload }: ObjectPageProps & { found: Found; reload: () => void }) {
  const { json, owner, state, lifeCycle, history, traces, stock } = found;
  const { version, updatedAt } = json;
  const near = nearOf({ items: found.related, pointWorth: found.pointWorth, names: found.names });
  const label = stock[0]?.name ?? (found.label && near.label(type, found.label));
  const view = viewOf(type, json, near);
  const groups = groupsOf({ type, id, near, found });
  const isStock = stock.length > 0;
  const away = whyNot(found.applications, owner);
  // Where the clock takes the next step, its button is the usual one.
  const usual = state !== undefined && hasNextStep(found.explanation) ? undefined : usualOf(groups);
  const actions = <ObjectActions groups={groups} usual={usual} onDone={reload} />;
  const isFinal =
    found.explanation.reasons.some(({ code }) => code === 'ended') &&
    groups.every((group) => group.actions.every(({ obstacle }) => obstacle !== undefined));
  return (
    <div class="stack">
      <PageHead
        title={`${label ?? id} · ${type}`}
        heading={`${NAMES[type] ?? oneOf(type)} ${label ?? shortId(id)}`}
        badge={
          <>
            {state && <StateBadge type={type} state={state} />}
            <a href={linkHere('timelines', type, id)}>Timeline</a>
            <a href={linkHere('play', type, id)}>Play</a>
          </>
        }
        back={[linkHere('objects', type), `All ${manyOf(type).toLowerCase()}`]}
      />
      {away !== undefined && !isStock && <Away why={away} retry={reload} />}
      {state === undefined ? (
        groups.length > 0 && (
          <section class="card in stack-tight" aria-label="What can be done next">
            {actions}
          </section>
        )
      ) : (
        <Why near={near} explanation={found.explanation} notice={view?.notice} isRecorded={isRecorded(found)} onChange={reload}>
          {isFinal && <p>Nothing; this {oneOf(type).toLowerCase()} is final.</p>}
          {actions}
        </Why>
      )}
      <div class={`over ${css['columns']}`}>
        <div class="stack">
          {view?.sections.map(({ title, content }) => (
            <Card key={title} title={title}>
              {content}
            </Card>
          ))}
          {isStock && (
            <Card title="Stock by location">
              <ObjectStock items={stock} obstacle={away} onCounted={reload} />
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
                <ObjectTraces type={type} traces={traces} hasHistory={history.length > 0} />
              </Card>
            </div>
          )}
        </div>
        <div class="stack">
          <Card title="About it">
            <dl class="in pairs">
              {view?.facts.map(([name, value]) => (
                <Pair key={name} term={name}>
                  {value}
                </Pair>
              ))}
              <Pair term="Id">
                <span class="line">
                  <code>{id}</code>
                  <CopyButton what="Id" text={() => id}>
                    Copy id
                  </CopyButton>
                </span>
              </Pair>
              <Pair term="Kept by">
                {applicationTitle(owner)}
                {typeof version === 'number' && `, version ${version}`}
                {typeof updatedAt === 'string' && `, changed ${rehearsalTime(updatedAt)}`}
              </Pair>
            </dl>
          </Card>
          {!isStock && (
            <div class={`stack ${css['late']}`}>
              <Card title="How it got there">
                <ObjectHistory type={type} lifeCycle={lifeCycle} history={history} />
              </Card>
              <Card title="Related objects">
                <Related near={near} found={found} />
              </Card>
            </div>
          )}
        </div>
      </div>
      <Card title="As JSON">
        <div class="in">
          <JsonView value={json} label={`${type} as JSON`} />
        </div>
      </Card>
    </div>
  );
}

/** Whether the journal has the trace that led to the state. If more traces exist than were read, it may have it. */
const isRecorded = ({ explanation: { cause }, traces }: Found): boolean =>
  traces.length === MOST_TRACES || traces.some(({ correlationId }) => correlationId === cause?.correlationId);

/** The actions of the object, and the possible ones of its parts. */
function groupsOf({ type, id, near, found }: { type: string; id: string; near: Near; found: Found }): readonly ActionGroup[] {
  const actions = (of: { readonly type: string; readonly id: string; readonly object: Found['json'] }): readonly Action[] => {
    const owner = found.types.find((one) => one.type === of.type)?.owner ?? found.owner;
    const explanation = [found.explanation, ...found.partExplanations].find((one) => one.type === of.type && one.id === of.id);
    return actionsOf({ ...of, explanation, near, whyNot: (application = owner) => whyNot(found.applications, application) });
  };
  const parts = partsOf(type, id, found.related).map((one) => ({
    type: one.type,
    title: `${NAMES[one.type]} ${one.label === undefined ? shortId(one.id) : near.label(one.type, one.label)}, ${one.state}`,
    actions: actions(one).filter(({ obstacle }) => obstacle === undefined),
  }));
  const own = { type, title: `This ${oneOf(type).toLowerCase()}`, actions: actions({ type, id, object: found.json }) };
  return [own, ...parts].filter((group) => group.actions.length > 0);
}

function Related({ near, found: { refersTo, together, related } }: { near: Near; found: Found }) {
  if (refersTo.length === 0 && together.length === 0) return <Empty title="It refers to no object." />;
  const nameOf = (type: string, id: string) =>
    near.label(type, related.find((one) => one.type === type && one.id === id)?.label ?? shortId(id));
  const links = (title: string, objects: Found['refersTo']) =>
    objects.length > 0 && (
      <>
        <h3>{title}</h3>
        <ObjectBadges label={title} objects={objects.map(({ type, id }) => ({ type, id, name: nameOf(type, id) }))} />
      </>
    );
  return (
    <div class="in stack-tight">
      {links('It refers to', refersTo)}
      {links('Changed in the same traces', together)}
    </div>
  );
}

interface UnknownObjectProps extends ObjectPageProps {
  readonly newest: Extract<ReadObject, { kind: 'unknown-object' }>['newest'];
}

const UnknownObject = ({ type, id, newest }: UnknownObjectProps) => (
  <Unknown
    title={`Unknown ${type}`}
    words={`There is no ${type}`}
    id={id}
    why={
      newest.length > 0
        ? 'The id is wrong, or it belongs to another rehearsal. These are the newest:'
        : `This rehearsal has no ${type} yet.`
    }
    card={newest.length > 0 ? <ObjectTable type={type} items={newest} /> : undefined}
  >
    <p>
      <a class="button" href={linkHere('objects')}>
        All types
      </a>
    </p>
  </Unknown>
);
