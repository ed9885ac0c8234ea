import { useSignal } from '@preact/signals';
import { act, control, drawn, isBusy, type Output, useRead } from '../data/data.ts';
import { Card, counted, Dialog, rehearsalTime } from '../kit/kit.ts';
import { CopyForm } from './copy-form.tsx';
import type { CreatedRehearsal } from './created-card.tsx';
import { wallInstant } from './rehearsal-times.ts';
import css from './rehearsals.module.css';

/** The kept snapshots. Each can be opened as a new rehearsal. */
export function SnapshotsCard({ onOpened }: { onOpened: (created: CreatedRehearsal) => void }) {
  const listed = useRead('list-snapshots');
  return (
    <Card title={listed.value ? counted(listed.value.items.length, 'snapshot') : 'Snapshots'}>
      {drawn(listed, ({ items }) => (
        <>
          {items.length === 0 && <p class="in muted">Keep a world on the page of its rehearsal.</p>}
          <ul class={`items ${css.rehearsals}`}>
            {items.map((one) => (
              <SnapshotRow key={one.name} one={one} onOpened={onOpened} onDeleted={listed.reload} />
            ))}
          </ul>
        </>
      ))}
    </Card>
  );
}

interface RowProps {
  readonly one: Output<'list-snapshots'>['items'][number];
  readonly onOpened: (created: CreatedRehearsal) => void;
  readonly onDeleted: () => void;
}

function SnapshotRow({ one: { name, rehearsal, now, takenAt, objects, events }, onOpened, onDeleted }: RowProps) {
  const asking = useSignal(false);
  const close = (): void => {
    asking.value = false;
  };
  const opened = (created: CreatedRehearsal): void => {
    close();
    onOpened(created);
  };
  const remove = (): Promise<void> =>
    act(`delete ${name}`, async () => {
      await control('delete-snapshot', { params: { name } });
      onDeleted();
      return `The snapshot ${name} is deleted.`;
    });
  return (
    <li>
      <span class={`${css.what} brk`}>{name}</span>
      <span class="line">
        <button type="button" aria-haspopup="dialog" onClick={() => (asking.value = true)}>
          Open<span class="unseen"> {name}</span>
        </button>
        <button type="button" class="quiet" aria-disabled={isBusy()} onClick={() => void remove()}>
          Delete<span class="unseen"> {name}</span>
        </button>
      </span>
      <p class="muted small">{`of ${rehearsal}, taken ${wallInstant(takenAt)}`}</p>
      <p class="muted small">{`clock ${rehearsalTime(now)}, ${counted(objects, 'object')}, ${counted(events, 'event')}`}</p>
      {asking.value && (
        <Dialog title={`Open ${name}`} onClose={close}>
          <CopyForm from={{ snapshot: name }} verb="Open" onCreated={opened} />
        </Dialog>
      )}
    </li>
  );
}
