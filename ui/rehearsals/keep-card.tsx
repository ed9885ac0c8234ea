import { useSignal } from '@preact/signals';
import { act, control, isBusy } from '../data/data.ts';
import { Card, say, useForm } from '../kit/kit.ts';
import { CreatedCard, type CreatedRehearsal, createRehearsal } from './created-card.tsx';

/** Keeps the world of a rehearsal as a snapshot, or forks it. */
export function KeepCard({ name }: { name: string }) {
  const snapshot = useSignal(name);
  const fork = useSignal<CreatedRehearsal | undefined>(undefined);
  const form = useForm(async () => {
    const kept = await control('save-snapshot', { params: { name: snapshot.value.trim() } }, { rehearsal: name });
    say(`The snapshot ${kept.name} is kept.`);
  });
  const makeFork = (): Promise<void> =>
    act('fork', async () => {
      fork.value = await createRehearsal({ from: { rehearsal: name } });
      return `${fork.value.name} continues from here.`;
    });
  return (
    <>
      <Card title="Keep and fork">
        <form {...form.attributes} class="in stack">
          {form.others}
          {form.text(
            {
              id: 'snapshot-name',
              label: 'Name of the snapshot',
              hint: 'A snapshot of this name is replaced. The page “All rehearsals” lists the snapshots, and opens them.',
              pointer: '{name}',
            },
            snapshot,
          )}
          <p class="line">
            <button type="submit" aria-disabled={form.isSending ? 'true' : undefined}>
              {form.isSending ? 'Keeping…' : 'Keep'}
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
