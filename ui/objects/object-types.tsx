import type { ComponentChildren } from 'preact';
import {
  act,
  applicationTitle,
  control,
  drawn,
  type Output,
  offState,
  rehearsalLink,
  unlessOff,
  useReread,
  useResource,
  withQuery,
} from '../data/data.ts';
import { Badge, Card, Heading } from '../kit/kit.ts';
import css from './objects.module.css';

export type ObjectType = Output<'list-object-types'>['items'][number];

export function ObjectTypes({ rehearsal }: { rehearsal: string }) {
  return (
    <div class="stack">
      <div class="title">
        <Heading title="Objects">Objects</Heading>
        <p class="muted">Every business object of this rehearsal, by type and state</p>
      </div>
      <Card label="Types">
        <TypeList rehearsal={rehearsal} />
      </Card>
      <Vouchers rehearsal={rehearsal} />
    </div>
  );
}

/** The vouchers of the rehearsal. Baskets name the vouchers that they use. */
function Vouchers({ rehearsal }: { rehearsal: string }) {
  const names = useResource(`names of ${rehearsal}`, (signal) => control('list-names', undefined, { signal }));
  const enable = (id: string, name: string, enabled: boolean) =>
    act(`voucher ${id}`, async () => {
      await control('change-voucher-by-hand', { params: { id }, body: { enabled } });
      names.reload();
      return `The voucher ${name} is ${enabled ? 'valid again' : 'switched off'}.`;
    });
  return drawn(names, ({ vouchers }) => (
    <Card title="Vouchers">
      <ul class={css['types']}>
        {vouchers.map(({ id, name, enabled }) => (
          <li key={id}>
            <a href={withQuery(rehearsalLink(rehearsal, 'objects', 'basket'), { q: id })} title="Baskets that use it" data-row="">
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

/** The type is unknown; these exist. */
export const UnknownType = ({ rehearsal, type }: { rehearsal: string; type: string }): ComponentChildren => (
  <div class="stack">
    <Heading title="Unknown type">
      There are no objects of type <code class="brk">{type}</code>
    </Heading>
    <p class="muted">These types exist:</p>
    <Card label="Types">
      <TypeList rehearsal={rehearsal} />
    </Card>
  </div>
);

function TypeList({ rehearsal }: { rehearsal: string }) {
  const types = useResource(`types of ${rehearsal}`, (signal) => control('list-object-types', undefined, { signal }));
  useReread(['hops', 'events', 'gap'], types.reload);
  return drawn(types, ({ items }) => (
    <ul class={css['types']}>
      {items.map((type) => (
        <TypeRow key={type.type} rehearsal={rehearsal} {...type} />
      ))}
    </ul>
  ));
}

const TypeRow = ({ rehearsal, type, owner, count, states }: ObjectType & { rehearsal: string }) => (
  <li>
    <p>
      <a href={rehearsalLink(rehearsal, 'objects', type)} data-row="">
        <strong>{type}</strong> {count.toLocaleString('en')}
      </a>
      <span class="muted"> in {applicationTitle(owner)}</span>
    </p>
    {count > 0 && <StateLinks rehearsal={rehearsal} type={type} states={states} />}
  </li>
);

/** A link for each state that an object is in. @param selected the state that the list shows */
export const StateLinks = ({
  rehearsal,
  type,
  states,
  selected,
  q,
}: {
  rehearsal: string;
  type: string;
  states: ObjectType['states'];
  selected?: string;
  q?: string;
}) => {
  const link = rehearsalLink(rehearsal, 'objects', type);
  return (
    <p class="line">
      {Object.keys(states).length === 0 && <Badge>no states</Badge>}
      {Object.entries(states).map(([state, count]) => (
        <a key={state} class="badge" href={withQuery(link, { state, q })} aria-current={state === selected ? 'true' : undefined}>
          {state} {count.toLocaleString('en')}
        </a>
      ))}
    </p>
  );
};
