import { useSignal } from '@preact/signals';
import { h } from 'preact';
import {
  busy,
  config,
  faults,
  held,
  isUsedUp,
  live,
  offState,
  rehearsalLink,
  trouble,
  unlessOff,
  verified,
  verify,
  withQuery,
} from '../data/data.ts';
import { Badge, counted, Dialog, wallTime } from '../kit/kit.ts';
import { ClockSet } from './clock-set.ts';
import { pages } from './pages.ts';
import { Picker } from './picker.ts';

/** The sticky bar: which rehearsal, what time it is there, what is set and what holds. Of a rehearsal that cannot be shown it has the name only. */
export function Bar({ rehearsal }: { rehearsal: string }) {
  const isShown = trouble.value === undefined;
  return h(
    'header',
    { class: 'bar' },
    h(Picker, { rehearsal }),
    isShown && h(ClockSet, {}),
    h('div', { class: 'set push' }, config().production && h(Badge, { tone: 'warn' }, 'production'), isShown && h(State, { rehearsal })),
  );
}

const State = ({ rehearsal }: { rehearsal: string }) => [
  h(FaultsSet, { rehearsal }),
  h(Invariants, {}),
  h(
    'button',
    { type: 'button', class: 'wide', 'aria-disabled': offState(), onClick: unlessOff(() => void verify()) },
    busy.value === 'verify' ? 'Verifying…' : 'Verify',
  ),
  h(Live, {}),
];

/** Leads to the page of the faults, or to the traces that they struck. */
function FaultsSet({ rehearsal }: { rehearsal: string }) {
  const set = (faults.value ?? []).filter((fault) => !isUsedUp(fault));
  if (set.length === 0) return null;
  const hasPage = pages.some(({ path }) => path === 'faults');
  const [first] = set;
  const link = hasPage
    ? rehearsalLink(rehearsal, 'faults')
    : withQuery(rehearsalLink(rehearsal, 'activity'), { fault: set.length === 1 ? first?.name : undefined });
  return h(
    'a',
    {
      class: 'badge warn',
      href: link,
      'aria-label': `${counted(set.length, 'fault')} set`,
      title: set.map(({ name, hits }) => `${name}: struck ${hits} times`).join('\n'),
    },
    [
      h('span', { 'aria-hidden': 'true' }, '⚡'),
      set.length,
      h('span', { class: 'wide-text' }, set.length === 1 ? ' fault set' : ' faults set'),
    ],
  );
}

/** What verify found, until something happens again. */
function Invariants() {
  const open = useSignal(false);
  const outcome = verified.value;
  if (!outcome) return null;
  const { invariants, holds } = outcome;
  const held = invariants.filter((one) => one.holds).length;
  return h(
    'span',
    { class: 'wide' },
    h(
      'button',
      { type: 'button', class: `badge ${holds ? 'good' : 'bad'}`, 'aria-haspopup': 'dialog', onClick: () => (open.value = true) },
      h('span', { 'aria-hidden': 'true' }, holds ? '✓' : '✕'),
      `${held} of ${invariants.length} invariants hold`,
    ),
    open.value &&
      h(
        Dialog,
        { title: 'Invariants', onClose: () => (open.value = false) },
        h(
          'ul',
          { class: 'rows' },
          invariants.map((one) =>
            h(
              'li',
              { key: one.id, class: 'pad' },
              h('p', {}, h(Badge, { tone: one.holds ? 'good' : 'bad' }, one.holds ? 'holds' : 'broken'), ' ', one.title),
              h('p', { class: 'muted' }, counted(one.checked, 'check')),
              one.violations.map((violation) => h('p', { key: violation, class: 'brk' }, violation)),
            ),
          ),
        ),
      ),
  );
}

const LIVE = {
  connecting: ['', 'Connecting'],
  live: ['good', 'Live'],
  asleep: ['', 'Asleep'],
  unavailable: ['', 'Not live'],
} as const;

function Live() {
  const state = live.value;
  const isHeld = held.value && state.kind === 'live';
  const [tone, words] =
    state.kind === 'reconnecting'
      ? ['warn', `Reconnecting since ${wallTime(state.since).slice(0, 5)}`]
      : isHeld
        ? ['warn', 'Held']
        : LIVE[state.kind];
  return h(
    'button',
    {
      type: 'button',
      class: `badge ${tone}`,
      'aria-pressed': held.value ? 'true' : 'false',
      title: 'Hold new rows, or let them go',
      onClick: () => (held.value = !held.value),
    },
    h('span', { class: state.kind === 'live' && !isHeld ? 'dot live' : 'dot', 'aria-hidden': 'true' }),
    words,
  );
}
