import { control, here } from '../data/data.ts';
import { Dialog, say, useForm } from '../kit/kit.ts';
import type { Replaceable } from './catalog.ts';
import { changeTo, type Draft, type Mode, swapBody } from './draft.ts';
import type { SwapInUse } from './system-read.ts';

/** How an application is answered from now on. */
export type Wanted = Mode | 'ours';

interface ChangeDialogProps {
  readonly application: Replaceable;
  readonly draft: Draft;
  readonly swap: SwapInUse | undefined;
  readonly wanted: Wanted;
  readonly reload: () => void;
  readonly onClose: () => void;
}

const titleOf = (wanted: Wanted, title: string): string =>
  ({
    real: `Let your ${title} answer in ${here()}?`,
    shadow: `Compare your ${title} in the shadow?`,
    kept: `Answer from what your ${title} has answered?`,
    ours: `Back to our ${title}?`,
  })[wanted];

/** A person confirms the change, because it begins the rehearsal again. */
export function ChangeDialog({ application: { id, title }, draft, swap, wanted, reload, onClose }: ChangeDialogProps) {
  const change = async () => {
    if (wanted === 'ours') return null;
    if (wanted !== 'kept') return changeTo(wanted, draft, swap);
    return { mode: wanted, ...(await control('read-answers', { params: { application: id } })) };
  };
  const form = useForm(
    async () => {
      await control('reset-rehearsal', { body: swapBody(id, await change()) });
      // The rehearsal has them now.
      draft.headers.value = [];
      onClose();
      reload();
      say(wanted === 'ours' ? `Our ${title} answers in ${here()}.` : `${here()} has begun again, with your ${title} ${WORDS[wanted]}.`);
    },
    { pointerOf: (pointer) => pointer.replace(`/swap/${id}`, '') },
  );
  return (
    <Dialog title={titleOf(wanted, title)} onClose={onClose}>
      <form {...form.attributes} class="stack">
        {form.others}
        <p>
          <strong>{here()}</strong> begins again: its orders, events and journal go. Its credentials, webhooks and own data stay. A real
          system has none of the objects of ours, so nothing can be carried over.
        </p>
        <p>
          <button type="submit" class="primary" aria-disabled={form.isSending ? 'true' : undefined}>
            {form.isSending ? 'Beginning again…' : 'Begin again'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

const WORDS = { real: 'live', shadow: 'in the shadow', kept: 'as it answered earlier' } as const;
