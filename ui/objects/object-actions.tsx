import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { act, busy, control, linkHere, useResource } from '../data/data.ts';
import { Choice, Dialog, say, useForm, useNextFocus } from '../kit/kit.ts';
import type { Action } from './actions.ts';
import { type Field, fieldAt, type Values } from './form.ts';
import css from './objects.module.css';
import type { Outcome } from './steps.ts';

/** The actions of an object, or of a part of it. */
export interface ActionGroup {
  readonly type: string;
  /** What they act on. */
  readonly title: string;
  readonly actions: readonly Action[];
}

interface ObjectActionsProps {
  readonly groups: readonly ActionGroup[];
  /** The action that the story usually takes next. */
  readonly usual: Action | undefined;
  readonly onDone: () => void;
}

/** The usual action first, then the other possible ones, by object. The impossible ones are folded, each with its reason. */
export function ObjectActions({ groups, usual, onDone }: ObjectActionsProps) {
  const [asked, setAsked] = useState<Action>();
  const [outcome, setOutcome] = useState<Outcome>();
  // The page removes a pressed button whose action has become impossible.
  const place = useNextFocus<HTMLDivElement>((around) => around.querySelector<HTMLElement>('button[data-possible], summary'));
  /** @throws Refusal */
  const run = async ({ label, steps }: Action, values: Values): Promise<void> => {
    let latest: Outcome | undefined;
    try {
      for (const step of steps(values)) latest = await step();
    } finally {
      setOutcome(latest);
      onDone();
    }
    say(`${label}: done.`);
  };
  const press = (action: Action): void => {
    if (action.obstacle !== undefined) return;
    if (action.fields.length > 0) setAsked(action);
    else void act(action.label, async () => run(action, {}).then(() => `${action.label}: done.`));
  };
  const button = (action: Action) => {
    const { label, does, obstacle, fields } = action;
    return (
      <button
        type="button"
        class={action === usual ? 'primary' : undefined}
        data-possible={obstacle === undefined ? '' : undefined}
        title={obstacle === undefined && action !== usual ? does : undefined}
        aria-disabled={obstacle !== undefined || busy.value !== undefined ? 'true' : undefined}
        onClick={() => press(action)}
      >
        {label}
        {fields.length > 0 && '…'}
      </button>
    );
  };
  const others = groups
    .map(({ title, actions }) => ({ title, actions: actions.filter((one) => one !== usual && one.obstacle === undefined) }))
    .filter(({ actions }) => actions.length > 0);
  const notNow = groups.flatMap(({ actions }) => actions.filter(({ obstacle }) => obstacle !== undefined));
  const isFinal = usual === undefined && others.length === 0;
  return (
    <div ref={place} class="stack-tight">
      {usual && (
        <p class={`line ${css['usual']}`}>
          {button(usual)} <span class="muted">{usual.does}</span>
        </p>
      )}
      {others.map(({ title, actions }) => (
        <section key={title} class={css['others']} aria-label={title}>
          <h2>{title}</h2>
          <p class="line">
            {actions.map((action) => (
              <Fragment key={action.label}>{button(action)}</Fragment>
            ))}
          </p>
        </section>
      ))}
      {notNow.length > 0 && (
        <details class={css['notNow']}>
          <summary class="muted">{isFinal ? `${notNow.length} not possible, and why` : `${notNow.length} not now, and why`}</summary>
          <ul class={`lined ${css['actions']}`}>
            {notNow.map((action) => (
              <li key={action.label}>
                {button(action)}
                <span class="muted brk">{action.obstacle}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {outcome && (
        <p class="line">
          {outcome.made && (
            <a class="button" href={linkHere('objects', outcome.made.type, outcome.made.id)}>
              Go to the new {outcome.made.type}
            </a>
          )}
          {outcome.correlationId !== undefined && <a href={linkHere('activity', outcome.correlationId)}>See what this caused</a>}
        </p>
      )}
      {asked && <ActionForm action={asked} run={(values) => run(asked, values)} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface ActionFormProps {
  readonly action: Action;
  readonly run: (values: Values) => Promise<void>;
  readonly onClose: () => void;
}

function ActionForm({ action: { label, does, fields, preview }, run, onClose }: ActionFormProps) {
  const [typed, setTyped] = useState<Values>(Object.fromEntries(fields.map(({ name, value }) => [name, value])));
  /** The effect of the typed values. */
  const [effect, setEffect] = useState<string>();
  const isTrial = preview !== undefined && effect === undefined;
  const submit = (): Promise<void> => (isTrial ? preview(typed).then(setEffect) : run(typed).then(onClose));
  const form = useForm(submit, { pointerOf: (pointer) => fieldAt(fields, pointer) });
  return (
    <Dialog title={label} onClose={onClose}>
      <form {...form.attributes} noValidate={false} class="stack">
        <p class="muted">{does}</p>
        {fields.map((one) =>
          form.field({ id: `field-${one.name}`, label: one.label, hint: one.hint, pointer: one.name }, (attributes) => (
            <FieldInput
              field={one}
              attributes={attributes}
              value={typed[one.name] ?? ''}
              onChange={(value) => {
                setTyped({ ...typed, [one.name]: value });
                setEffect(undefined);
              }}
            />
          )),
        )}
        {form.others}
        {effect !== undefined && <p role="status">{effect}</p>}
        <p class="line">
          <button type="submit" class="primary" aria-disabled={form.isSending ? 'true' : undefined}>
            {isTrial ? 'Show the difference' : label}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly attributes: { readonly id: string };
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const FieldInput = ({ field: { name, choices, number, isOptional, isProduct, known }, attributes, value, onChange }: FieldInputProps) =>
  isProduct ? (
    <ProductChoice attributes={attributes} value={value} onChange={onChange} />
  ) : choices ? (
    <Choice attributes={attributes} value={value} choices={choices} onChange={onChange} />
  ) : (
    <>
      <input
        {...attributes}
        {...(number
          ? ({
              type: 'number',
              min: number.least / 10 ** (number.decimals ?? 0),
              max: number.most === undefined ? undefined : number.most / 10 ** (number.decimals ?? 0),
              step: 10 ** -(number.decimals ?? 0),
            } as const)
          : ({ type: 'text' } as const))}
        list={known && `known-${name}`}
        required={!isOptional}
        value={value}
        onInput={({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value)}
      />
      {known && (
        <datalist id={`known-${name}`}>
          {known.map((one) => (
            <option key={one.id} value={one.id} label={one.name} />
          ))}
        </datalist>
      )}
    </>
  );

/** Most products of a list. A larger assortment is searched. */
const MOST_PRODUCTS = 200;

interface ProductChoiceProps {
  readonly attributes: { readonly id: string };
  readonly value: string;
  readonly onChange: (sku: string) => void;
}

/** The products that are sold, by name. The value is the SKU. */
function ProductChoice({ attributes, value, onChange }: ProductChoiceProps) {
  const [q, setQ] = useState('');
  const [isLarge, setLarge] = useState(false);
  const read = useResource(`products ${q}`, async (signal) => {
    const query = { state: 'active', q: q || undefined, limit: MOST_PRODUCTS };
    const { items, next } = await control('list-objects', { params: { type: 'product' }, query }, { signal });
    if (next !== undefined) setLarge(true);
    const choices = items.flatMap(({ label = '', columns, related }) =>
      related.flatMap(({ type, id }) => (type === 'inventory-item' ? [[id, `${label}, ${columns['price'] ?? ''}`] as const] : [])),
    );
    return choices.toSorted(([, one], [, other]) => one.localeCompare(other));
  });
  // The form can be sent before the products have been read.
  const choices = read.value ?? [[value, value] as const];
  const [first] = choices[0] ?? [];
  useEffect(() => {
    if (first !== undefined && !choices.some(([sku]) => sku === value)) onChange(first);
  }, [read.value]);
  return (
    <>
      {isLarge && (
        <input
          type="search"
          aria-label="Find a product"
          placeholder="Find a product"
          value={q}
          onInput={({ currentTarget }) => setQ(currentTarget.value)}
        />
      )}
      <Choice attributes={{ ...attributes, required: true }} value={value} choices={choices} onChange={onChange} />
    </>
  );
}
