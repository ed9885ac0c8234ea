import { useSignal } from '@preact/signals';
import { asRefusal, type FieldError } from '../data/data.ts';
import { Card, Choice, field, OtherErrors, say, textField, useFocusOnWrong } from '../kit/kit.ts';
import { type CreatedRehearsal, createRehearsal } from './created-card.tsx';

const ENDS: readonly (readonly [string, string])[] = [
  ['', 'after the default time without use'],
  ['PT1H', 'after an hour without use'],
  ['PT8H', 'after eight hours without use'],
  ['P7D', 'after a week without use'],
  ['other', 'after another time without use'],
  ['keep', 'never: it is kept until it is deleted'],
];
const SHOWN = ['/name', '/idleExpiry'];

/** Creates a rehearsal. What the gateway refuses is shown at the field. */
export function RehearsalForm({ onCreated }: { onCreated: (created: CreatedRehearsal) => void }) {
  const name = useSignal('');
  const ends = useSignal('');
  const expiry = useSignal('P2D');
  const errors = useSignal<readonly FieldError[]>([]);
  const busy = useSignal(false);
  const wrong = useFocusOnWrong(errors.value);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    errors.value = [];
    const idleExpiry = ends.value === 'other' ? expiry.value.trim() : ends.value;
    try {
      const created = await createRehearsal({
        ...(name.value.trim() !== '' && { name: name.value.trim() }),
        ...(ends.value === 'keep' ? { keep: true } : idleExpiry !== '' && { idleExpiry }),
      });
      say(`The rehearsal ${created.name} is ready.`);
      name.value = '';
      onCreated(created);
    } catch (error) {
      const { code, detail, errors: found } = asRefusal(error);
      errors.value = found.length > 0 ? found : [{ pointer: code === 'rehearsal_exists' ? '/name' : '', detail }];
    } finally {
      busy.value = false;
    }
  };
  return (
    <Card title="New rehearsal">
      <form ref={wrong} class="in fields" noValidate onSubmit={(event: Event) => void submit(event)}>
        <OtherErrors errors={errors.value} shown={SHOWN} />
        {textField(
          {
            id: 'rehearsal-name',
            label: 'Name',
            hint: 'Lower-case letters, digits and hyphens, at most 40. Empty: the estate chooses one.',
            pointer: '/name',
            errors: errors.value,
          },
          name,
        )}
        {field(
          {
            id: 'rehearsal-ends',
            label: 'It ends',
            pointer: ends.value === 'other' ? '' : '/idleExpiry',
            errors: ends.value === 'other' ? [] : errors.value,
          },
          (attributes) => (
            <Choice attributes={attributes} value={ends.value} choices={ENDS} onChange={(value) => (ends.value = value)} />
          ),
        )}
        {ends.value === 'other' &&
          textField(
            {
              id: 'rehearsal-expiry',
              label: 'Time without use',
              hint: 'ISO 8601, of wall time: PT30M, P2D',
              pointer: '/idleExpiry',
              errors: errors.value,
            },
            expiry,
          )}
        <p>
          <button type="submit" class="primary" aria-disabled={busy.value ? 'true' : undefined}>
            {busy.value ? 'Creating…' : 'Create'}
          </button>
        </p>
      </form>
    </Card>
  );
}
