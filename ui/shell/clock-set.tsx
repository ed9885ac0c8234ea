import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { advance, alone, busy, clock, moveClock, offState, setFlowing, settle, unlessOff, verify } from '../data/data.ts';
import { Badge, Dialog, rehearsalTime, say, useForm, useKeys } from '../kit/kit.ts';
import css from './shell.module.css';

const isFrozen = (): boolean => clock.value?.flowing === false;

/** The rehearsal's clock. It opens the menu of what moves it, settles and verifies the rehearsal. */
export function ClockSet() {
  const asking = useSignal(false);
  const now = clock.value?.now;
  return (
    <fieldset class={`${css.set} ${css.clockSet}`} aria-label="Clock of the rehearsal">
      <ClockMenu
        ask={() => {
          asking.value = true;
        }}
      />
      {asking.value && now !== undefined && <ClockDialog now={now} onClose={() => (asking.value = false)} />}
    </fieldset>
  );
}

const MENU = 'clock-menu';

/** Moves the focus among the items of the menu; Tab and Escape close it. */
function moveIn(menu: HTMLElement, event: KeyboardEvent): void {
  if (event.key === 'Tab' || event.key === 'Escape') menu.hidePopover();
  const items = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

/** @param ask opens the dialog of the instant */
function ClockMenu({ ask }: { ask: () => void }) {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useKeys({
    t: () => {
      // The focus returns there.
      button.current?.focus();
      button.current?.click();
    },
  });
  const now = clock.value?.now;
  const frozen = isFrozen();
  const name = now === undefined ? 'Move the clock' : `${rehearsalTime(now)}${frozen ? ' frozen' : ''}: move the clock`;
  const onToggle = (): void => {
    const { current } = menu;
    if (!current) return;
    isOpen.value = current.matches(':popover-open');
    if (!isOpen.value) return;
    const { left = 0, bottom = 0 } = button.current?.getBoundingClientRect() ?? {};
    current.style.left = `${left}px`;
    current.style.top = `${bottom}px`;
  };
  const item = (label: string, does: string, run: () => void, isFirst = false) => (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      // The browser focuses it before it reads the next key; the event `toggle` comes later.
      autofocus={isFirst}
      aria-disabled={offState()}
      onClick={() => {
        menu.current?.hidePopover();
        unlessOff(run)();
      }}
    >
      <strong>{label}</strong> <span class="muted">{does}</span>
    </button>
  );
  return (
    <>
      <button
        ref={button}
        type="button"
        class={css.clock}
        popovertarget={MENU}
        aria-haspopup="menu"
        aria-expanded={isOpen.value ? 'true' : 'false'}
        aria-label={name}
        title={frozen ? 'The clock stands still until it is moved or resumed' : 'The clock flows with wall time'}
      >
        <Time />
      </button>
      <div
        ref={menu}
        id={MENU}
        popover="auto"
        role="menu"
        aria-label="Clock"
        class={css.verbs}
        onToggle={onToggle}
        onKeyDown={(event) => menu.current && moveIn(menu.current, event)}
      >
        {frozen
          ? item('Resume', 'the clock flows', () => void setFlowing(true), true)
          : item('Freeze', 'the clock stands still', () => void setFlowing(false), true)}
        {item('+15 min', 'move the clock', () => void advance({ by: 'PT15M' }))}
        {item('+1 day', 'move the clock', () => void advance({ by: 'P1D' }))}
        {item('To…', 'move the clock to an instant', ask)}
        <hr />
        {item('Settle', 'wait until all events are delivered and due work has run', () => void settle())}
        {item('Verify', 'check that stock, money, points and events agree', () => void verify())}
      </div>
    </>
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
        {busy.value === 'verify' && (
          <>
            {' '}
            <Badge>verifying</Badge>
          </>
        )}
        <span aria-hidden="true" class={css.opens}>
          ▾
        </span>
      </span>
    </>
  );
}

const HOUR_MS = 3_600_000;

/** Proposes an instant that the clock can move to. */
function ClockDialog({ now, onClose }: { now: string; onClose: () => void }) {
  const typed = useSignal(new Date(Date.parse(now) + HOUR_MS).toISOString().slice(0, 16));
  const move = async (): Promise<void> => {
    say(await moveClock({ to: `${typed.value}:00Z` }));
    onClose();
  };
  const form = useForm(() => alone('advance', move), { pointerOf: () => 'to' });
  return (
    <Dialog title="Move the clock" onClose={onClose}>
      <form {...form.attributes} noValidate={false} class="stack">
        <p>It is {rehearsalTime(now)}. Everything that falls due on the way runs, in order.</p>
        {form.field({ id: 'instant', label: 'To (UTC)', pointer: 'to' }, (attributes) => (
          <input
            type="datetime-local"
            {...attributes}
            autofocus
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
