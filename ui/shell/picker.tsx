import { useSignal } from '@preact/signals';
import { drawn, enterAgain, isRehearsalName, route, trouble, useResource } from '../data/data.ts';
import { Dialog, Icon, Unknown } from '../kit/kit.ts';
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

/** Its code is loaded when somebody opens it. */
function LazyList({ of }: { of?: string | undefined }) {
  const code = useResource('code of the rehearsal list', () => import('./rehearsal-list.tsx'));
  return drawn(code, ({ RehearsalList }) => <RehearsalList of={of} />);
}

/** In place of the pages of a rehearsal that does not exist, or of its administration. */
export const UnknownRehearsal = ({ name }: { name: string }) => (
  <Unknown
    title="Unknown rehearsal"
    words="There is no rehearsal"
    id={name}
    why={
      <>
        It ended, it was deleted, or the name is wrong.{' '}
        {route.value.rehearsal !== undefined && isRehearsalName(name) && (
          <button type="button" onClick={() => void enterAgain()}>
            Look again
          </button>
        )}{' '}
        These exist:
      </>
    }
    card={
      <div class="in">
        <LazyList />
      </div>
    }
  />
);
