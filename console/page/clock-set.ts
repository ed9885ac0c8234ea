import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { Dialog } from './dialog.ts';
import { rehearsalTime } from './format.ts';
import { advance, clock, offState, settle, unlessOff } from './rehearsal.ts';

/** The rehearsal's clock and the buttons that move it. */
export function ClockSet() {
  const asking = useSignal(false);
  const now = clock.value?.now;
  const button = (label: string, run: () => void, extra: object = {}) =>
    h('button', { type: 'button', class: 'wide', 'aria-disabled': offState(), onClick: unlessOff(run), ...extra }, label);
  return h(
    'div',
    { class: 'set', role: 'group', 'aria-label': 'Clock of the rehearsal' },
    h(
      'span',
      { class: 'clock', title: clock.value?.flowing ? 'The clock flows with wall time' : 'The clock stands still until it is moved' },
      now === undefined ? '…' : [h('span', { class: 'wide-text' }, `${now.slice(0, 10)} `), `${now.slice(11, 16)}Z`],
    ),
    button('+15 min', () => void advance({ by: 'PT15M' }), { 'aria-label': '+15 min: move the clock' }),
    button('+1 day', () => void advance({ by: 'P1D' }), { 'aria-label': '+1 day: move the clock' }),
    button('to…', () => (asking.value = true), { 'aria-haspopup': 'dialog', 'aria-label': 'to…: move the clock to an instant' }),
    button('Settle', () => void settle()),
    asking.value && now !== undefined && h(ClockDialog, { now, onClose: () => (asking.value = false) }),
  );
}

function ClockDialog({ now, onClose }: { now: string; onClose: () => void }) {
  const typed = useSignal(now.slice(0, 16));
  const submit = (event: Event): void => {
    event.preventDefault();
    onClose();
    void advance({ to: `${typed.value}:00Z` });
  };
  return h(
    Dialog,
    { title: 'Move the clock', onClose },
    h(
      'form',
      { class: 'stack', onSubmit: submit },
      h('p', {}, `It is ${rehearsalTime(now)}. Everything that falls due on the way runs, in order.`),
      h('label', { for: 'instant' }, 'To (UTC)'),
      h('input', {
        id: 'instant',
        type: 'datetime-local',
        required: true,
        min: now.slice(0, 16),
        value: typed.value,
        onInput: ({ currentTarget }) => (typed.value = currentTarget.value),
      }),
      h('button', { type: 'submit', class: 'primary' }, 'Move'),
    ),
  );
}
