import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { asRefusal, type FieldError, type Refusal } from '../data/refusal.ts';

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** The pointer of the gateway's errors about this field. Absent: another field shows them. */
  readonly pointer?: string;
  readonly errors?: readonly FieldError[];
  readonly key?: string;
}

type DrawInput = (attributes: {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}) => ComponentChildren;

/** A labelled input, with what the gateway found wrong with it. `draw` gives the input these attributes. */
export function field({ id, label, hint, pointer, errors = [], key = id }: FieldProps, draw: DrawInput) {
  const found = errors.filter((error) => error.pointer === pointer);
  const notes = [hint !== undefined && `${id}-hint`, found.length > 0 && `${id}-wrong`].filter(Boolean).join(' ');
  return (
    <div class="field" key={key}>
      <label for={id}>{label}</label>
      {draw({ id, 'aria-describedby': notes === '' ? undefined : notes, 'aria-invalid': found.length > 0 ? 'true' : undefined })}
      {hint !== undefined && (
        <p class="muted small" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {found.length > 0 && (
        <p class="wrong small brk" id={`${id}-wrong`}>
          {found.map(({ detail }) => detail).join(' ')}
        </p>
      )}
    </div>
  );
}

/** A signal, or a member of one. */
interface Editable {
  value: string;
}

interface TextMore {
  readonly required?: true;
  readonly maxLength?: number;
  readonly inputmode?: 'url';
}

/** A field with one line of text, which stays as it was typed. `more` adds attributes of the input. */
const textField = (props: FieldProps, value: Editable, more: TextMore = {}) =>
  field(props, (attributes) => (
    <input
      type="text"
      {...attributes}
      {...more}
      autocomplete="off"
      spellcheck={false}
      value={value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
    />
  ));

type OwnProps = Omit<FieldProps, 'errors'>;

interface FormOptions {
  /** Maps the pointer of an error to the pointer of the field that shows it. Default: the same pointer. */
  readonly pointerOf?: (pointer: string, refusal: Refusal) => string;
}

/**
 * A form. It is not sent again while a request is in progress. Its fields show the errors that `send` throws; `others` shows the errors of
 * no field. `send` gets the value of the button that submits the form. `attributes` belong to the form element.
 */
export function useForm(send: (button: string) => Promise<void>, { pointerOf = (pointer) => pointer }: FormOptions = {}) {
  const errors = useSignal<readonly FieldError[]>([]);
  const isSending = useSignal(false);
  const ref = useFocusOnWrong(errors.value);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    errors.value = [];
    try {
      await send(event.submitter instanceof HTMLButtonElement ? event.submitter.value : '');
    } catch (error) {
      const refusal = asRefusal(error);
      const found = refusal.errors.length > 0 ? refusal.errors : [{ pointer: '', detail: refusal.detail }];
      errors.value = found.map(({ pointer, detail }) => ({ pointer: pointerOf(pointer, refusal), detail }));
    } finally {
      isSending.value = false;
    }
  };
  // The fields of a form are drawn before its other errors.
  const shown = new Set<string>();
  const ofForm = (props: OwnProps): FieldProps => {
    if (props.pointer !== undefined) shown.add(props.pointer);
    return { ...props, errors: errors.value };
  };
  return {
    attributes: { ref, noValidate: true, onSubmit: (event: SubmitEvent) => void submit(event) },
    isSending: isSending.value,
    others: <OtherErrors errors={errors.value} shown={shown} />,
    field: (props: OwnProps, draw: DrawInput) => field(ofForm(props), draw),
    text: (props: OwnProps, value: Editable, more?: TextMore) => textField(ofForm(props), value, more),
    choice: (props: OwnProps, value: Editable, choices: ChoiceProps['choices']) =>
      field(ofForm(props), (attributes) => (
        <Choice attributes={attributes} value={value.value} choices={choices} onChange={(chosen) => (value.value = chosen)} />
      )),
  };
}

/** Moves the focus to the first wrong field of a form. */
function useFocusOnWrong(errors: readonly FieldError[]): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [errors]);
  return form;
}

/** `/shippingAddress/postalCode` as words: `Shipping address, postal code`. Entries of lists are counted from 1. */
function placeInWords(pointer: string): string {
  const parts = pointer.replaceAll(/^[/?{]|}$/g, '').split('/');
  const words = parts.map((part) =>
    /^\d+$/.test(part) ? String(Number(part) + 1) : part.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
  const text = words.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The errors that no field shows. They scroll into view. */
function OtherErrors({ errors, shown }: { errors: readonly FieldError[]; shown: ReadonlySet<string> }) {
  const problem = useRef<HTMLDivElement>(null);
  useEffect(() => problem.current?.scrollIntoView({ block: 'nearest' }), [errors]);
  const others = errors.filter(({ pointer }) => !shown.has(pointer));
  if (others.length === 0) return null;
  return (
    <div ref={problem} class="problem" role="alert">
      {others.map(({ pointer, detail }) => (
        <p key={pointer + detail}>
          {pointer !== '' && `${placeInWords(pointer)}: `}
          {detail}
        </p>
      ))}
    </div>
  );
}

interface ChoiceProps {
  readonly value: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
  readonly attributes: object;
}

export const Choice = ({ value, choices, onChange, attributes }: ChoiceProps) => (
  <select
    {...attributes}
    value={value}
    onChange={({ currentTarget }: { currentTarget: HTMLSelectElement }) => onChange(currentTarget.value)}
  >
    {choices.map(([one, words]) => (
      <option key={one} value={one} selected={one === value}>
        {words}
      </option>
    ))}
  </select>
);
