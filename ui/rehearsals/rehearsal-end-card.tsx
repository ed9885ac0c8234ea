import { useSignal } from '@preact/signals';
import { act, control, estateLink, forgetCredentials, forgetRehearsal, isBusy, navigate } from '../data/data.ts';
import { Card, Dialog } from '../kit/kit.ts';

/** Reset and delete. Both ask first; deleting wants the name typed. */
export function EndCard({ name, onReset }: { name: string; onReset: () => void }) {
  const asking = useSignal<'reset' | 'delete' | undefined>(undefined);
  const typed = useSignal('');
  const close = (): void => {
    asking.value = undefined;
    typed.value = '';
  };
  const reset = (): Promise<void> =>
    act('reset', async () => {
      close();
      await control('reset-rehearsal', undefined, { rehearsal: name });
      onReset();
      return `${name} is as it was when it began.`;
    });
  const remove = (event: Event): Promise<void> => {
    event.preventDefault();
    if (typed.value.trim() !== name) return Promise.resolve();
    return act('delete', async () => {
      await control('delete-rehearsal', { params: { name } });
      forgetCredentials(name);
      forgetRehearsal(name);
      close();
      navigate(estateLink('rehearsals'));
      return `${name} is deleted.`;
    });
  };
  const isDefault = name === 'default';
  return (
    <Card title="Reset and delete">
      <div class="in stack">
        <p>
          A reset begins the world again, as it was seeded or opened: data, clock, faults, events and journal. Its credentials stay valid.
        </p>
        <p>
          <button type="button" aria-haspopup="dialog" aria-disabled={isBusy()} onClick={() => (asking.value = 'reset')}>
            Reset…
          </button>
        </p>
        <p>{isDefault ? 'The default rehearsal cannot be deleted.' : 'Deleting it removes all its data and revokes its credentials.'}</p>
        {!isDefault && (
          <p>
            <button type="button" class="danger" aria-haspopup="dialog" aria-disabled={isBusy()} onClick={() => (asking.value = 'delete')}>
              Delete…
            </button>
          </p>
        )}
      </div>
      {asking.value === 'reset' && (
        <Dialog title={`Reset ${name}?`} onClose={close}>
          <div class="stack">
            <p>Everything that happened in it is lost.</p>
            <p>
              <button type="button" class="danger" onClick={() => void reset()}>
                Reset
              </button>
            </p>
          </div>
        </Dialog>
      )}
      {asking.value === 'delete' && (
        <Dialog title={`Delete ${name}?`} onClose={close}>
          <form class="stack" onSubmit={(event: Event) => void remove(event)}>
            <label for="typed-name">Type the name of the rehearsal to delete it</label>
            <input
              id="typed-name"
              autofocus
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={typed.value}
              onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
            />
            <p>
              <button type="submit" class="danger" disabled={typed.value.trim() !== name}>
                Delete
              </button>
            </p>
          </form>
        </Dialog>
      )}
    </Card>
  );
}
