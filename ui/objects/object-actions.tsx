import { useState } from 'preact/hooks';
import { act, asRefusal, busy, type Refusal, rehearsalLink } from '../data/data.ts';
import { Choice, Dialog, field, OtherErrors, say, useFocusOnWrong } from '../kit/kit.ts';
import type { Action, Field, Values } from './actions.ts';
import css from './objects.module.css';

/** The actions of an object, or of a part of it. */
export interface ActionGroup {
  /** What they act on; undefined: the object of the page. */
  readonly title: string | undefined;
  readonly actions: readonly Action[];
}

interface ObjectActionsProps {
  readonly rehearsal: string;
  readonly groups: readonly ActionGroup[];
  readonly onDone: () => void;
}

/** A button for each action, with what it would do. An impossible action can be focused, so that its reason can be read. */
export function ObjectActions({ rehearsal, groups, onDone }: ObjectActionsProps) {
  const [asked, setAsked] = useState<Action>();
  const [trace, setTrace] = useState<string>();
  /** @throws Refusal */
  const run = async ({ label, steps }: Action, values: Values): Promise<void> => {
    let latest: string | undefined;
    try {
      for (const step of steps(values)) latest = (await step(rehearsal)) ?? latest;
    } finally {
      setTrace(latest);
      onDone();
    }
    say(`${label}: done.`);
  };
  const press = (action: Action): void => {
    if (action.obstacle !== undefined) return;
    if (action.fields.length > 0) setAsked(action);
    else void act(action.label, async () => run(action, {}).then(() => `${action.label}: done.`));
  };
  return (
    <>
      {groups.map(({ title, actions }, group) => (
        <section key={title} aria-label={title}>
          {title !== undefined && <h3 class="in">{title}</h3>}
          <ul class={css['actions']}>
            {actions.map((action, place) => (
              <li key={action.label}>
                <button
                  type="button"
                  data-possible={action.obstacle === undefined ? '' : undefined}
                  aria-disabled={action.obstacle !== undefined || busy.value !== undefined ? 'true' : undefined}
                  aria-describedby={`action-${group}-${place}`}
                  onClick={() => press(action)}
                >
                  {action.label}
                  {action.fields.length > 0 && '…'}
                </button>
                <span id={`action-${group}-${place}`} class="muted">
                  {action.obstacle ?? action.does}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {trace !== undefined && (
        <p class="in">
          <a href={rehearsalLink(rehearsal, 'activity', trace)}>See what this caused</a>
        </p>
      )}
      {asked && <ActionForm action={asked} run={(values) => run(asked, values)} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface ActionFormProps {
  readonly action: Action;
  readonly run: (values: Values) => Promise<void>;
  readonly onClose: () => void;
}

function ActionForm({ action: { label, does, fields }, run, onClose }: ActionFormProps) {
  const [typed, setTyped] = useState<Values>(Object.fromEntries(fields.map(({ name, value }) => [name, value])));
  const [refusal, setRefusal] = useState<Refusal>();
  const errors = refusal ? (refusal.errors.length > 0 ? refusal.errors : [{ pointer: '', detail: refusal.detail }]) : [];
  const form = useFocusOnWrong(errors);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy.peek() !== undefined) return;
    busy.value = label;
    try {
      await run(typed);
      onClose();
    } catch (error) {
      setRefusal(asRefusal(error));
    } finally {
      busy.value = undefined;
    }
  };
  return (
    <Dialog title={label} onClose={onClose}>
      <form ref={form} class="stack" onSubmit={(event: Event) => void send(event)}>
        <p class="muted">{does}</p>
        {fields.map((one) => (
          <FormField
            key={one.name}
            field={one}
            value={typed[one.name] ?? ''}
            onChange={(value) => setTyped({ ...typed, [one.name]: value })}
          />
        ))}
        <OtherErrors errors={errors} shown={[]} />
        <p class="line">
          <button type="submit" class="primary" aria-disabled={busy.value === undefined ? undefined : 'true'}>
            {label}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

interface FormFieldProps {
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const FormField = ({ field: { name, label, hint, choices, number, isOptional }, value, onChange }: FormFieldProps) =>
  field({ id: `field-${name}`, label, hint, pointer: `/${name}`, errors: [] }, (attributes) =>
    choices ? (
      <Choice attributes={attributes} value={value} choices={choices} onChange={onChange} />
    ) : (
      <input
        {...attributes}
        {...(number
          ? ({
              type: 'number',
              min: number.least / 10 ** (number.decimals ?? 0),
              max: number.most / 10 ** (number.decimals ?? 0),
              step: 10 ** -(number.decimals ?? 0),
            } as const)
          : ({ type: 'text' } as const))}
        required={!isOptional}
        value={value}
        onInput={({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value)}
      />
    ),
  );
