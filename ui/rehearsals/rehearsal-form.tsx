import { useSignal } from '@preact/signals';
import { Card, say, useForm } from '../kit/kit.ts';
import { type CreatedRehearsal, createRehearsal } from './created-card.tsx';

const ENDS: readonly (readonly [string, string])[] = [
  ['', 'after the default time without use'],
  ['PT1H', 'after an hour without use'],
  ['PT8H', 'after eight hours without use'],
  ['P7D', 'after a week without use'],
  ['other', 'after another time without use'],
  ['keep', 'never: it is kept until it is deleted'],
];

/** Creates a rehearsal. What the gateway refuses is shown at the field. */
export function RehearsalForm({ onCreated }: { onCreated: (created: CreatedRehearsal) => void }) {
  const name = useSignal('');
  const ends = useSignal('');
  const expiry = useSignal('P2D');
  const create = async (): Promise<void> => {
    const idleExpiry = ends.value === 'other' ? expiry.value.trim() : ends.value;
    const created = await createRehearsal({
      ...(name.value.trim() !== '' && { name: name.value.trim() }),
      ...(ends.value === 'keep' ? { keep: true } : idleExpiry !== '' && { idleExpiry }),
    });
    say(`The rehearsal ${created.name} is ready.`);
    name.value = '';
    onCreated(created);
  };
  const form = useForm(create, {
    pointerOf: (pointer, { code }) => (code === 'rehearsal_exists' ? '/name' : pointer),
  });
  return (
    <Card title="New rehearsal">
      <form {...form.attributes} class="in stack">
        {form.others}
        {form.text(
          {
            id: 'rehearsal-name',
            label: 'Name',
            hint: 'Lower-case letters, digits and hyphens, at most 40. Empty: the estate chooses one.',
            pointer: '/name',
          },
          name,
        )}
        {form.choice({ id: 'rehearsal-ends', label: 'It ends', pointer: ends.value === 'other' ? undefined : '/idleExpiry' }, ends, ENDS)}
        {ends.value === 'other' &&
          form.text(
            { id: 'rehearsal-expiry', label: 'Time without use', hint: 'ISO 8601, of wall time: PT30M, P2D', pointer: '/idleExpiry' },
            expiry,
          )}
        <p>
          <button type="submit" class="primary" aria-disabled={form.isSending ? 'true' : undefined}>
            {form.isSending ? 'Creating…' : 'Create'}
          </button>
        </p>
      </form>
    </Card>
  );
}
