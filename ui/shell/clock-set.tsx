import { useSignal } from '@preact/signals';
import { advance, alone, clock, moveClock, offState, setFlowing, settle, unlessOff } from '../data/data.ts';
import { Badge, Dialog, isNarrow, rehearsalTime, say, useForm } from '../kit/kit.ts';
import css from './shell.module.css';

const isFrozen = (): boolean => clock.value?.flowing === false;

/** The rehearsal's clock and the buttons that move it. A narrow window has room for the clock alone, which opens them. */
export function ClockSet() {
  const asking = useSignal(false);
  const ask = (): void => {
    asking.value = true;
  };
  const now = clock.value?.now;
  return (
    <fieldset class={`${css.set} ${css.clockSet}`} aria-label="Clock of the rehearsal">
      {isNarrow.value ? (
        <ClockButton onClick={ask} />
      ) : (
        <>
          <ClockFace />
          <Verbs ask={ask} />
        </>
      )}
      {asking.value && now !== undefined && <ClockDialog now={now} onClose={() => (asking.value = false)} />}
    </fieldset>
  );
}

const ClockFace = () => (
  <span class={css.clock} title={isFrozen() ? 'The clock stands still until it is moved or resumed' : 'The clock flows with wall time'}>
    <Time />
  </span>
);

function ClockButton({ onClick }: { onClick: () => void }) {
  const now = clock.value?.now;
  const label = now === undefined ? 'Move the clock' : `${rehearsalTime(now)}${isFrozen() ? ' frozen' : ''}: move the clock`;
  return (
    <button type="button" class={css.clock} aria-haspopup="dialog" aria-label={label} onClick={onClick}>
      <Time />
    </button>
  );
}

function Time() {
  const now = clock.value?.now;
  if (now === undefined) return '…';
  const [date, time] = rehearsalTime(now).split(' ');
  return (
    <>
      <span>{date}</span>{' '}
      <span>
        {time}
        {isFrozen() && (
          <>
            {' '}
            <Badge tone="warn">frozen</Badge>
          </>
        )}
      </span>
    </>
  );
}

const SETTLES = 'Waits until the estate is quiet: all events are delivered, and all work that is due has run';

/** @param ask opens the dialog; undefined: the verbs are in it */
function Verbs({ ask }: { ask: (() => void) | undefined }) {
  const frozen = isFrozen();
  return (
    <>
      <Verb
        label={frozen ? 'Resume' : 'Freeze'}
        hint={frozen ? 'let the clock flow' : 'stop the clock'}
        run={() => void setFlowing(frozen)}
      />
      <Verb label="+15 min" hint="move the clock" run={() => void advance({ by: 'PT15M' })} />
      <Verb label="+1 day" hint="move the clock" run={() => void advance({ by: 'P1D' })} />
      {ask && <Verb label="to…" hint="move the clock to an instant" run={ask} aria-haspopup="dialog" />}
      <Verb label="Settle" title={SETTLES} aria-description={SETTLES} run={() => void settle()} />
    </>
  );
}

interface VerbProps {
  readonly label: string;
  readonly hint?: string;
  readonly run: () => void;
  readonly title?: string;
  readonly 'aria-description'?: string;
  readonly 'aria-haspopup'?: 'dialog';
}

const Verb = ({ label, hint, run, ...rest }: VerbProps) => (
  <button
    type="button"
    aria-disabled={offState()}
    aria-label={hint === undefined ? undefined : `${label}: ${hint}`}
    onClick={({ currentTarget }: { currentTarget: Element }) => unlessOff(() => inTheOpen(currentTarget, run))()}
    {...rest}
  >
    {label}
  </button>
);

/** Closes the dialog, which would hide the status line, and runs a verb. */
function inTheOpen(element: Element, run: () => void): void {
  element.closest('dialog')?.close();
  run();
}

function ClockDialog({ now, onClose }: { now: string; onClose: () => void }) {
  const typed = useSignal(now.slice(0, 16));
  const move = async (): Promise<void> => {
    say(await moveClock({ to: `${typed.value}:00Z` }));
    onClose();
  };
  const form = useForm(() => alone('advance', move), { pointerOf: () => 'to' });
  return (
    <Dialog title="Move the clock" onClose={onClose}>
      <form {...form.attributes} noValidate={false} class="stack">
        <p>It is {rehearsalTime(now)}. Everything that falls due on the way runs, in order.</p>
        {isNarrow.value && (
          <div class="line">
            <Verbs ask={undefined} />
          </div>
        )}
        {form.field({ id: 'instant', label: 'To (UTC)', pointer: 'to' }, (attributes) => (
          <input
            type="datetime-local"
            {...attributes}
            // In a narrow window, the verbs come before this field.
            autofocus={!isNarrow.value}
            required
            min={now.slice(0, 16)}
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        ))}
        <button type="submit" class="primary">
          Move
        </button>
      </form>
    </Dialog>
  );
}
