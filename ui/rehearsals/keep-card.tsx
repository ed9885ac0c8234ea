import { useSignal } from '@preact/signals';
import { act, asRefusal, control, type FieldError, isBusy } from '../data/data.ts';
import { Card, OtherErrors, say, textField, useFocusOnWrong } from '../kit/kit.ts';
import { CreatedCard, type CreatedRehearsal, createRehearsal } from './created-card.tsx';

/** Keeps the world of a rehearsal as a snapshot, or forks it. */
export function KeepCard({ name }: { name: string }) {
  const snapshot = useSignal(name);
  const errors = useSignal<readonly FieldError[]>([]);
  const busy = useSignal(false);
  const fork = useSignal<CreatedRehearsal | undefined>(undefined);
  const wrong = useFocusOnWrong(errors.value);
  const keep = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    errors.value = [];
    try {
      const kept = await control('save-snapshot', { params: { name: snapshot.value.trim() } }, { rehearsal: name });
      say(`The snapshot ${kept.name} is kept.`);
    } catch (error) {
      const { detail, errors: found } = asRefusal(error);
      errors.value = found.length > 0 ? found : [{ pointer: '', detail }];
    } finally {
      busy.value = false;
    }
  };
  const makeFork = (): Promise<void> =>
    act('fork', async () => {
      fork.value = await createRehearsal({ from: { rehearsal: name } });
      return `${fork.value.name} continues from here.`;
    });
  return (
    <>
      <Card title="Keep and fork">
        <form ref={wrong} class="in fields" noValidate onSubmit={(event: Event) => void keep(event)}>
          <OtherErrors errors={errors.value} shown={['{name}']} />
          {textField(
            {
              id: 'snapshot-name',
              label: 'Name of the snapshot',
              hint: 'A snapshot of this name is replaced. The page “All rehearsals” lists the snapshots, and opens them.',
              pointer: '{name}',
              errors: errors.value,
            },
            snapshot,
          )}
          <p class="line">
            <button type="submit" aria-disabled={busy.value ? 'true' : undefined}>
              {busy.value ? 'Keeping…' : 'Keep'}
            </button>
            <button type="button" aria-disabled={isBusy()} onClick={() => void makeFork()}>
              Fork
            </button>
          </p>
          <p class="muted small">A fork is a new rehearsal that continues from here. Changes in one do not reach the other.</p>
        </form>
      </Card>
      {fork.value && <CreatedCard created={fork.value} />}
    </>
  );
}
