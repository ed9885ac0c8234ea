import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { isOpen } from '../../shared/catalog/control/run-states.ts';
import { control, here, isBusy, type Output } from '../data/data.ts';
import type { ListedRun } from '../flows/run-list.tsx';
import { duration, say, useForm } from '../kit/kit.ts';
import { Glyph } from '../kit/state.tsx';
import type { Replaceable } from './catalog.ts';
import { ChangeDialog, type Wanted } from './change-dialog.tsx';
import { Conform, useChecks } from './conform.tsx';
import { addHeader, checkBody, type Draft, newDraft } from './draft.ts';
import { Live } from './live.tsx';
import { Shadow } from './shadow.tsx';
import type { Fidelity, SwapInUse } from './system-read.ts';
import css from './systems.module.css';

interface SystemProps {
  readonly application: Replaceable;
  readonly swap: SwapInUse | undefined;
  readonly fidelity: Fidelity | undefined;
  readonly runs: readonly ListedRun[];
  readonly reload: () => void;
}

/** A system on its way: address, checks, shadow, live. */
export function System({ application, swap, fidelity, runs, reload }: SystemProps) {
  const { id, title, checks } = application;
  const [draft] = useState(() => newDraft(application, swap));
  const wanted = useSignal<Wanted | undefined>(undefined);
  const started = useSignal<string | undefined>(undefined);
  const ofSystem = runs.filter(({ system }) => system?.application === id);
  // The checks of another address prove nothing about this one.
  const latest = ofSystem.find((one) => one.id === started.value) ?? ofSystem.find(({ system }) => system?.url === draft.url.value.trim());
  const run = useChecks(started.value !== undefined && latest?.id !== started.value ? started.value : latest?.id);
  const form = useForm(async () => {
    const { id: runId } = await control('check-system', { body: checkBody(id, draft, swap) });
    started.value = runId;
    say(`The checks of the ${title} have begun.`);
  });
  const want = (one: Wanted) => (): void => {
    wanted.value = one;
  };
  return (
    <div class={css.detail}>
      <Steps swap={swap} run={run} fidelity={fidelity} hasChecks={checks !== undefined} />
      <div class={swap ? 'over' : undefined}>
        {swap && (
          <div class="stack">
            {swap.mode === 'shadow' && fidelity && <Shadow title={title} fidelity={fidelity} />}
            <Live title={title} swap={swap} want={want} />
          </div>
        )}
        <div class="stack">
          <form {...form.attributes} class="stack-tight" aria-label={`The system in place of the ${title}`}>
            <h2>Address</h2>
            {form.others}
            <AddressFields draft={draft} form={form} swap={swap} />
            <More draft={draft} form={form} application={application} />
            <p class="line">
              {checks && (
                <button
                  type="submit"
                  class={run?.state === 'passed' || swap ? undefined : 'primary'}
                  aria-disabled={form.isSending ? 'true' : undefined}
                >
                  {run ? 'Check again' : 'Check it'}
                </button>
              )}
              {swap?.mode !== 'shadow' && (
                <button
                  type="button"
                  class={(checks && run?.state !== 'passed') || swap ? undefined : 'primary'}
                  aria-disabled={isBusy()}
                  onClick={want('shadow')}
                >
                  Compare in the shadow…
                </button>
              )}
              {swap && (
                <button type="button" aria-disabled={isBusy()} onClick={want('ours')}>
                  Back to ours…
                </button>
              )}
            </p>
          </form>
          {checks ? (
            <Conform run={run} />
          ) : (
            <p class="muted">There are no checks for the {title}. The shadow compares its answers with ours.</p>
          )}
        </div>
      </div>
      {wanted.value && (
        <ChangeDialog
          {...{ application, draft, swap, reload }}
          wanted={wanted.value}
          onClose={() => {
            wanted.value = undefined;
          }}
        />
      )}
    </div>
  );
}

type Form = ReturnType<typeof useForm>;

function AddressFields({ draft, form, swap }: { draft: Draft; form: Form; swap: SwapInUse | undefined }) {
  const set = draft.url.value.trim() === swap?.url ? (swap?.headers ?? []) : [];
  return (
    <>
      {form.text(
        {
          id: 'system-url',
          label: 'Address of your system',
          hint: 'Such as http://localhost:4000. The path of each call follows it.',
          pointer: '/url',
        },
        draft.url,
        { inputmode: 'url' },
      )}
      {set.length > 0 && (
        <p class="muted small">
          Set: <code>{set.join(', ')}</code>. New headers replace all of them.
        </p>
      )}
      {draft.headers.value.map(({ name, value }, place) => (
        <div key={place} class={css.header}>
          <input
            type="text"
            class="mono"
            aria-label={`Name of header ${place + 1}`}
            autocomplete="off"
            spellcheck={false}
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
          <input
            type="password"
            aria-label={`Value of header ${place + 1}`}
            placeholder="none"
            autocomplete="off"
            value={value.value}
            onInput={({ currentTarget }) => (value.value = currentTarget.value)}
          />
        </div>
      ))}
      <p class="muted small">
        The value of a header is never shown, logged or exported.{' '}
        <button type="button" class="quiet flush" onClick={() => addHeader(draft)}>
          Add a header
        </button>
      </p>
    </>
  );
}

/** What a system may have in place of our data, and lack. */
function More({ draft, form, application: { checks } }: { draft: Draft; form: Form; application: Replaceable }) {
  const toggle = (name: string): void => {
    const next = new Set(draft.lacks.value);
    if (!next.delete(name)) next.add(name);
    draft.lacks.value = next;
  };
  const lack = (name: string, words: string) => (
    <label key={name} class="check">
      <input type="checkbox" checked={draft.lacks.value.has(name)} onChange={() => toggle(name)} /> {words}
    </label>
  );
  return (
    <details>
      <summary>Time limit, events{checks && ', ids, and what it lacks'}</summary>
      <div class="stack-tight">
        {form.text({ id: 'system-timeout', label: 'Time limit of an answer, in milliseconds', pointer: '/timeoutMs' }, draft.timeoutMs)}
        {form.choice({ id: 'system-events', label: 'Events' }, draft.events, [
          ['post', 'go to its address, with /events'],
          ['none', 'reach it in another way'],
        ])}
        <label class="check">
          <input type="checkbox" checked={draft.keep.value} onChange={({ currentTarget }) => (draft.keep.value = currentTarget.checked)} />{' '}
          Keep its answers, so that they can answer without it
        </label>
        {checks && (
          <>
            {form.text({ id: 'system-currency', label: 'Currency of all amounts', pointer: '/currency' }, draft.currency)}
            {checks.ids.map(({ name, meaning, value }) => {
              const id = draft.ids[name];
              return (
                id && (
                  <div key={name}>
                    {form.text({ id: `system-id-${name}`, label: meaning, hint: `Empty: ${value}`, pointer: `/ids/${name}` }, id)}
                    {lack(name, 'It has none')}
                  </div>
                )
              );
            })}
            {checks.capabilities.length > 0 && (
              <fieldset>
                <legend>It lacks</legend>
                {checks.capabilities.map(({ name, meaning }) => lack(name, meaning))}
              </fieldset>
            )}
          </>
        )}
      </div>
    </details>
  );
}

interface StepsProps {
  readonly swap: SwapInUse | undefined;
  readonly run: Output<'read-run'> | undefined;
  readonly fidelity: Fidelity | undefined;
  readonly hasChecks: boolean;
}

/** Where the system stands on its way. */
function Steps({ swap, run, fidelity, hasChecks }: StepsProps) {
  const checked = run?.steps.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed') ?? [];
  const passed = checked.filter(({ outcome }) => outcome === 'passed').length;
  const isUnanswered = run?.state === 'failed' && checked.length === 0;
  const hasAnswered = swap?.last !== undefined || checked.length > 0;
  const steps = [
    [
      'Address',
      swap?.last
        ? `last answer in ${duration(swap.last.durationMs)}`
        : isUnanswered
          ? 'no answer'
          : hasAnswered
            ? 'answers'
            : 'not called yet',
      hasAnswered ? 'done' : isUnanswered ? 'failed' : undefined,
    ],
    [
      'Conform',
      !hasChecks
        ? 'has no checks'
        : !run || isUnanswered
          ? 'not checked'
          : checked.length === 0
            ? 'waits for an answer'
            : `${passed} of ${checked.length} checks`,
      !run || isUnanswered ? undefined : isOpen(run) ? 'moving' : run.state === 'passed' ? 'done' : 'failed',
    ],
    [
      'Shadow',
      fidelity ? `${fidelity.compared.toLocaleString('en')} compared, ${fidelity.equal.toLocaleString('en')} equal` : 'not compared',
      swap?.mode === 'shadow' ? 'moving' : undefined,
    ],
    [
      'Live',
      swap?.mode === 'real' ? `answers in ${here()}` : swap?.mode === 'kept' ? 'kept answers' : 'not yet',
      swap?.mode === 'real' ? 'done' : undefined,
    ],
  ] as const;
  return (
    <ol class={css.steps} aria-label="The way of your system">
      {steps.map(([name, words, kind]) => (
        <li key={name}>
          <Glyph kind={kind} /> <strong>{name}</strong>
          <br />
          <span class="muted small">{words}</span>
        </li>
      ))}
    </ol>
  );
}
