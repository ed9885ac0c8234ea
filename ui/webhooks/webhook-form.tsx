import { useSignal } from '@preact/signals';
import { webhookRules } from '../data/catalog.ts';
import { control, isCutOff, mistakeAt, type Output } from '../data/data.ts';
import { useForm } from '../kit/kit.ts';
import type { Webhook } from './webhook-read.ts';

const CLOCKS: readonly (readonly [string, string])[] = [
  ['wall', 'of the wall clock, as libraries expect'],
  ['rehearsal', 'of the rehearsal’s clock'],
];

interface WebhookFormProps {
  /** The webhook to change. Absent: a new one. */
  readonly webhook?: Webhook;
  /** Names that are taken. */
  readonly taken?: readonly string[];
  readonly onDone: (registered: Output<'put-webhook'>) => void;
}

/** Registers a webhook, or changes one. What the gateway refuses is shown at the field. */
export function WebhookForm({ webhook, taken = [], onDone }: WebhookFormProps) {
  const name = useSignal(webhook?.name ?? '');
  const url = useSignal(webhook?.url ?? '');
  const types = useSignal((webhook?.types ?? ['*']).join(', '));
  const timestamp = useSignal<string>(webhook?.timestamp ?? 'wall');
  const register = async (): Promise<void> => {
    const given = name.value.trim();
    const trouble = webhook ? undefined : nameTrouble(given, taken);
    if (trouble !== undefined) throw mistakeAt('{name}', trouble);
    const body = { url: url.value.trim(), types: wordsOf(types.value), timestamp: timestamp.value as 'wall' };
    onDone(await control('put-webhook', { params: { name: given }, body }));
  };
  const form = useForm(register, {
    pointerOf: (pointer) => (pointer.startsWith('/types/') ? '/types' : pointer),
  });
  const listed = wordsOf(types.value);
  const add = (type: string): void => {
    const others = type === '*' ? [] : listed.filter((one) => one !== '*');
    types.value = [...others, type].join(', ');
  };
  return (
    <form {...form.attributes} class="stack">
      {form.others}
      {!webhook &&
        form.text(
          {
            id: 'webhook-name',
            label: 'Name',
            hint: 'Lower-case letters, digits and hyphens, at most 40. A fault strikes the webhook by this name.',
            pointer: '{name}',
          },
          name,
          { maxLength: 40 },
        )}
      {form.text(
        {
          id: 'webhook-url',
          label: 'URL of the receiver',
          hint: 'http://localhost:3000/events. The variable OUTBOUND_ALLOW of the gateway lists permitted addresses.',
          pointer: '/url',
        },
        url,
        { inputmode: 'url' },
      )}
      {form.text(
        {
          id: 'webhook-types',
          label: 'Events',
          hint: 'Names, separated by commas; * means all, and ext.* the additional ones.',
          pointer: '/types',
        },
        types,
      )}
      <div class="field">
        <select aria-label="Add an event" onChange={({ currentTarget }) => add(currentTarget.value)}>
          <option value="" selected disabled>
            Add an event…
          </option>
          {webhookRules.types
            .filter((type) => !listed.includes(type))
            .map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
        </select>
      </div>
      {form.choice({ id: 'webhook-timestamp', label: 'webhook-timestamp', pointer: '/timestamp' }, timestamp, CLOCKS)}
      <p>
        <button type="submit" class="primary" aria-disabled={form.isSending || isCutOff() ? 'true' : undefined}>
          {webhook ? 'Change' : 'Register'}
        </button>
      </p>
    </form>
  );
}

/** Validated here, because the name is part of the URL, and because registering a webhook again replaces it. */
function nameTrouble(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'A webhook needs a name: choose one.';
  if (taken.includes(name)) return `The webhook ${name} is registered: change it on its page, or choose another name.`;
  if (new RegExp(webhookRules.name).test(name)) return undefined;
  return 'A webhook’s name has lower-case letters, digits and hyphens, and does not begin with a hyphen.';
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
