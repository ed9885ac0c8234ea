import { act, apiTitle, control, here, isBusy } from '../data/data.ts';
import { counted, download, duration } from '../kit/kit.ts';
import { wallInstant } from '../rehearsals/rehearsal-times.ts';
import type { Wanted } from './change-dialog.tsx';
import type { SwapInUse } from './system-read.ts';
import css from './systems.module.css';

interface LiveProps {
  readonly title: string;
  readonly swap: SwapInUse;
  readonly want: (wanted: Wanted) => () => void;
}

/** The switch of a system, and what it has answered. */
export function Live({ title, swap, want }: LiveProps) {
  const { application, mode, calls, failed, last, violations, keep, from } = swap;
  const isLive = mode === 'real';
  const save = (): Promise<void> =>
    act('answers', async () => {
      const { answers } = await control('read-answers', { params: { application } });
      const count = Object.values(answers).reduce((sum, one) => sum + one.length, 0);
      if (count === 0) return `Your ${title} has answered nothing here yet.`;
      const file = `answers-${application}.json`;
      download(file, new Blob([JSON.stringify(answers, null, 2)], { type: 'application/json' }));
      return `${file} was downloaded: ${counted(count, 'answer')}.`;
    });
  return (
    <>
      <div class={`${css.switch} line`}>
        <div>
          <p>
            <strong>
              {isLive ? `Your ${title} answers in ` : `Let your ${title} answer for real in `}
              <code>{here()}</code>
            </strong>
          </p>
          <p class="muted small">
            {from === 'variables'
              ? 'Variables of the estate put it here. The switch changes this rehearsal only.'
              : isLive
                ? 'The other applications call it as they call ours. Switching it off compares it in the shadow again.'
                : 'The switch begins this rehearsal again: yours has none of the data of ours.'}
          </p>
        </div>
        <button
          type="button"
          role="switch"
          class={isLive ? 'primary' : undefined}
          aria-checked={isLive ? 'true' : 'false'}
          aria-label={`${title} is live`}
          aria-disabled={isBusy()}
          onClick={want(isLive ? 'shadow' : 'real')}
        >
          {isLive ? 'live' : 'not live'}
        </button>
      </div>
      <section class="stack-tight" aria-label="Answers">
        <h2>Answers</h2>
        <p class="muted">
          {mode === 'kept' ? `${counted(calls, 'call')} to kept answers` : counted(calls, 'call')}, {failed.toLocaleString('en')} failed
          {last &&
            `. The latest answer, to ${apiTitle(last.api)}, was ${last.status === 0 ? 'missing' : last.status} after ${duration(last.durationMs)}, ${wallInstant(last.at)}`}
          .
        </p>
        {violations.length === 0 ? (
          <p class="muted">No violation of the contract.</p>
        ) : (
          <ul class="stack-tight" aria-label="Violations">
            {violations.map(({ name, api, count, detail }) => (
              <li key={`${name} ${api}`} class="wrong small brk">
                {name} at {apiTitle(api)}, {counted(count, 'time')}: {detail}
              </li>
            ))}
          </ul>
        )}
        {keep && (
          <p class="line">
            <button type="button" aria-disabled={isBusy()} onClick={() => void save()}>
              Download kept answers
            </button>
            <button type="button" aria-disabled={isBusy()} onClick={want('kept')}>
              Answer from what is kept…
            </button>
          </p>
        )}
        {!keep && mode !== 'kept' && <p class="muted small">Its answers are not kept. “Keep its answers” is beside its address.</p>}
      </section>
    </>
  );
}
