import { act, applicationTitle, control, drawn, linkHere, type Output, offState, unlessOff, useRead, withQuery } from '../data/data.ts';
import { Badge, Card, PageHead, Unknown } from '../kit/kit.ts';
import { Glyph } from '../kit/state.tsx';
import css from './objects.module.css';
import { kindOf } from './state-badge.tsx';

export type ObjectType = Output<'list-object-types'>['items'][number];

export const ObjectTypes = () => (
  <div class="stack">
    <PageHead title="Objects" about="Every business object of this rehearsal, by type and state" />
    <Card label="Types">
      <TypeList />
    </Card>
    <Collections />
    <Vouchers />
  </div>
);

/** What the staff at a counter needs, by column. */
const AT_COUNTER = 'order,units,person,until,to pay';

/** For each store, a link to the goods that wait at its counter. */
const Collections = () =>
  drawn(useRead('list-names'), ({ locations }) => (
    <Card title="At the counters">
      <p class="in muted">Goods that customers collect: until when, and what is to pay.</p>
      <ul class={`lined ${css['types']}`}>
        {locations
          .filter(({ type }) => type === 'store')
          .map(({ id, name }) => (
            <li key={id}>
              <a
                href={withQuery(linkHere('objects', 'fulfillment-order'), { collection: 'waiting', collectAt: id, columns: AT_COUNTER })}
                data-row=""
              >
                <strong>{name}</strong> <code>{id}</code>
              </a>
            </li>
          ))}
      </ul>
    </Card>
  ));

/** The vouchers of the rehearsal. Baskets name the vouchers that they use. */
function Vouchers() {
  const names = useRead('list-names');
  const enable = (id: string, name: string, enabled: boolean) =>
    act(`voucher ${id}`, async () => {
      await control('change-voucher-by-hand', { params: { id }, body: { enabled } });
      names.reload();
      return `The voucher ${name} is ${enabled ? 'valid again' : 'switched off'}.`;
    });
  return drawn(names, ({ vouchers }) => (
    <Card title="Vouchers">
      <ul class={`lined ${css['types']}`}>
        {vouchers.map(({ id, name, enabled }) => (
          <li key={id}>
            <a href={withQuery(linkHere('objects', 'basket'), { q: id })} title="Baskets that use it, or were refused it" data-row="">
              <strong>{name}</strong> <code>{id}</code>
            </a>
            <p class="line">
              <button type="button" aria-disabled={offState()} onClick={unlessOff(() => void enable(id, name, !enabled))}>
                Switch {enabled ? 'off' : 'on'}
                <span class="unseen"> {name}</span>
              </button>
              {!enabled && <Badge tone="warn">switched off</Badge>}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  ));
}

export const UnknownType = ({ type }: { type: string }) => (
  <Unknown title="Unknown type" words="There are no objects of type" id={type} why="These types exist:" card={<TypeList />} />
);

const TypeList = () =>
  drawn(useRead('list-object-types', undefined, { follows: ['hops', 'events', 'gap'] }), ({ items }) => (
    <ul class={`lined ${css['types']}`}>
      {items.map(({ type, owner, count, states }) => (
        <li key={type}>
          <p>
            <a href={linkHere('objects', type)} data-row="">
              <strong>{type}</strong> {count.toLocaleString('en')}
            </a>
            <span class="muted"> in {applicationTitle(owner)}</span>
          </p>
          {count > 0 && <StateLinks type={type} states={states} />}
        </li>
      ))}
    </ul>
  ));

/** A link for each state that an object is in. */
const StateLinks = ({ type, states }: Pick<ObjectType, 'type' | 'states'>) => (
  <p class="line">
    {Object.keys(states).length === 0 && <Badge>no states</Badge>}
    {Object.entries(states).map(([state, count]) => (
      <a key={state} class="badge" href={withQuery(linkHere('objects', type), { state })}>
        <Glyph kind={kindOf(type, state)} /> {state} {count.toLocaleString('en')}
      </a>
    ))}
  </p>
);
