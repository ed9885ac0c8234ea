import { useSignal } from '@preact/signals';
import { drawn, trouble, useResource } from '../data/data.ts';
import { Dialog, Icon } from '../kit/kit.ts';
import css from './shell.module.css';

/** Names the rehearsal, and opens the list of all. */
export function Picker({ rehearsal }: { rehearsal: string }) {
  const open = useSignal(false);
  return (
    <div class={css.set}>
      <button
        type="button"
        class={css.pick}
        aria-haspopup="dialog"
        aria-label={`${rehearsal}, change the rehearsal`}
        onClick={() => (open.value = true)}
      >
        <Icon name="rehearsals" />
        <span>{rehearsal}</span>
        <span aria-hidden="true">▾</span>
      </button>
      {open.value && (
        <Dialog title="Rehearsals" onClose={() => (open.value = false)}>
          <LazyList of={trouble.value ? undefined : rehearsal} />
        </Dialog>
      )}
    </div>
  );
}

const useList = () => useResource('code of the rehearsal list', () => import('./rehearsal-list.tsx'));

/** Its code is loaded when somebody opens it. */
const LazyList = ({ of }: { of?: string | undefined }) => drawn(useList(), ({ RehearsalList }) => <RehearsalList of={of} />);

/** In place of the pages of a rehearsal that does not exist, or of its administration. It has the list of those that exist. */
export const UnknownRehearsal = ({ name }: { name: string }) => drawn(useList(), ({ NoRehearsal }) => <NoRehearsal name={name} />);
