import { useSignal } from '@preact/signals';
import { say, useForm } from '../kit/kit.ts';
import { type CreatedRehearsal, createRehearsal } from './created-card.tsx';

/** Longest name of a rehearsal. */
const LONGEST = 40;

interface CopyFormProps {
  readonly from: { readonly rehearsal: string } | { readonly snapshot: string };
  readonly verb: 'Fork' | 'Open';
  readonly onCreated: (created: CreatedRehearsal) => void;
}

/** Creates a rehearsal that continues from a snapshot or from another rehearsal, with a name that is suggested. */
export function CopyForm({ from, verb, onCreated }: CopyFormProps) {
  const [source, ending] = 'rehearsal' in from ? [from.rehearsal, '-fork'] : [from.snapshot, '-copy'];
  const name = useSignal(source.slice(0, LONGEST - ending.length) + ending);
  const create = async (): Promise<void> => {
    const given = name.value.trim();
    const created = await createRehearsal({ from, ...(given !== '' && { name: given }) });
    say(`${created.name} continues from ${source}.`);
    onCreated(created);
  };
  const form = useForm(create, { pointerOf: (pointer, { code }) => (code === 'rehearsal_exists' ? '/name' : pointer) });
  return (
    <form {...form.attributes} class="stack">
      {form.others}
      {form.text({ id: 'copy-name', label: 'Name of the new rehearsal', hint: 'Empty: the estate chooses one.', pointer: '/name' }, name, {
        maxLength: LONGEST,
      })}
      <p>
        <button type="submit" aria-disabled={form.isSending ? 'true' : undefined}>
          {verb}
        </button>
      </p>
    </form>
  );
}
