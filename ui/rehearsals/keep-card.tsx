import { useSignal } from '@preact/signals';
import { control, mistakeAt } from '../data/data.ts';
import { Card, say, useForm } from '../kit/kit.ts';
import { CopyForm } from './copy-form.tsx';
import { CreatedCard, type CreatedRehearsal } from './created-card.tsx';

/** Keeps the world of a rehearsal as a snapshot, or forks it. */
export function KeepCard({ name }: { name: string }) {
  const snapshot = useSignal(name);
  const fork = useSignal<CreatedRehearsal | undefined>(undefined);
  const form = useForm(async () => {
    if (snapshot.value.trim() === '') throw mistakeAt('{name}', 'A snapshot needs a name: choose one.');
    const kept = await control('save-snapshot', { params: { name: snapshot.value.trim() } }, { rehearsal: name });
    say(`The snapshot ${kept.name} is kept.`);
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
          </p>
        </form>
        <div class="in stack">
          <p class="muted small">A fork is a new rehearsal that continues from here. Changes in one do not reach the other.</p>
          <CopyForm from={{ rehearsal: name }} verb="Fork" onCreated={(created) => (fork.value = created)} />
        </div>
      </Card>
      {fork.value && <CreatedCard created={fork.value} about={`A fork of ${name}.`} />}
    </>
  );
}
