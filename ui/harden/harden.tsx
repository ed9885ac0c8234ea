import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Cell, FAMILIES, type HardenRun } from '../../rehearsal/harden/run.ts';
import { HEADS } from '../../rehearsal/harden/words.ts';
import { asRefusal, type Refusal, rehearsalLink, useRead } from '../data/data.ts';
import { Command } from '../kit/command.tsx';
import { Badge, Card, PageHead } from '../kit/kit.ts';
import css from './harden.module.css';
import { RunHead, RunView } from './run-view.tsx';

/** A run of `estate harden`, from its file. Nothing is sent to the estate. */
export function Harden() {
  const run = useSignal<HardenRun | undefined>(undefined);
  const refusal = useSignal<Refusal | undefined>(undefined);
  const isOver = useSignal(false);
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      // The schema is loaded with the first file.
      const { readRun } = await import('./read-run.ts');
      run.value = await readRun(file);
      refusal.value = undefined;
    } catch (error) {
      refusal.value = asRefusal(error);
    }
  };
  useEffect(() => onDrop((file) => void read(file), isOver), []);
  const { value: shown } = run;
  return (
    <div class="stack">
      <PageHead title="Harden" about="What your own command does when something goes wrong." />
      <Card label="File of a run">
        <div class={`in stack-tight ${isOver.value ? css.over : ''}`}>
          <label for="harden-file">File harden.json of a run</label>
          <input
            id="harden-file"
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }: { currentTarget: HTMLInputElement }) => {
              const [file] = currentTarget.files ?? [];
              void read(file).then(() => {
                // The same file can be chosen again after the next run.
                currentTarget.value = '';
              });
            }}
          />
          <p class="muted small">Choose it, or drop it on this page. It stays in this browser.</p>
        </div>
      </Card>
      {refusal.value && (
        <p class="problem" role="alert">
          {refusal.value.detail}
        </p>
      )}
      {shown ? <Run run={shown} /> : <HowToMakeOne />}
    </div>
  );
}

const HowToMakeOne = () => (
  <Card title="Find your own mistakes">
    <div class="in stack-tight">
      <p>
        The estate runs your own command once per misfortune, each time in a fresh rehearsal. A find is what your system then did twice,
        half or not at all. The command writes the file and the reports into a folder:
      </p>
      <Command text={`estate harden --against ${location.origin} --report report -- npm test`} />
      <p class="muted">What it tries at each call, event and webhook of your story:</p>
      <p class="line">
        {FAMILIES.map((family) => (
          <Badge key={family}>{HEADS[family]}</Badge>
        ))}
      </p>
    </div>
  </Card>
);

/** Files may be dropped anywhere in the window. @returns a function that ends it */
function onDrop(take: (file: File | undefined) => void, isOver: Signal<boolean>): () => void {
  const listening = new AbortController();
  const listen = (kind: 'dragover' | 'dragleave' | 'drop', then: (event: DragEvent) => void) =>
    document.addEventListener(
      kind,
      (event) => {
        event.preventDefault();
        isOver.value = kind === 'dragover';
        then(event);
      },
      listening,
    );
  listen('dragover', () => {});
  listen('dragleave', () => {});
  listen('drop', ({ dataTransfer }) => take(dataTransfer?.files[0]));
  return () => listening.abort();
}

function Run({ run }: { run: HardenRun }) {
  const listed = useRead('list-rehearsals');
  const existing = new Set(listed.value?.items.map(({ name }) => name));
  const tracesOf = ({ rehearsal }: Cell): string | undefined =>
    rehearsal !== undefined && existing.has(rehearsal) ? rehearsalLink(rehearsal, 'activity') : undefined;
  return (
    <>
      <RunHead run={run} />
      <RunView run={run} tracesOf={tracesOf} />
    </>
  );
}
