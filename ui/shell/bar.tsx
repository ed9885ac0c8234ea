import { useSignal } from '@preact/signals';
import { whyUnverified } from '../../shared/catalog/control/drift.ts';
import { config, faults, held, isUsedUp, live, rehearsalLink, trouble, verified, withQuery } from '../data/data.ts';
import { Badge, counted, Dialog, InvariantList, StatusLine, wallTime } from '../kit/kit.ts';
import { ClockSet } from './clock-set.tsx';
import { pages } from './pages.ts';
import { Picker } from './picker.tsx';
import css from './shell.module.css';

/** The sticky bar: the rehearsal, its clock, its faults and its invariants. For a rehearsal that cannot be shown, it has the name only. */
export function Bar({ rehearsal }: { rehearsal: string }) {
  const isShown = trouble.value === undefined;
  return (
    <header class={css.bar}>
      <Picker rehearsal={rehearsal} />
      {isShown && <ClockSet />}
      <div class={`${css.set} ${css.push}`}>
        {config().production && <Badge tone="warn">production</Badge>}
        {isShown && <State rehearsal={rehearsal} />}
      </div>
      <StatusLine />
    </header>
  );
}

const State = ({ rehearsal }: { rehearsal: string }) => (
  <>
    <FaultsSet rehearsal={rehearsal} />
    <Invariants />
    <Live />
  </>
);

/** A link to the page of faults, or to the traces that faults struck. */
function FaultsSet({ rehearsal }: { rehearsal: string }) {
  const set = (faults.value ?? []).filter((fault) => !isUsedUp(fault));
  if (set.length === 0) return null;
  const hasPage = pages.some(({ path }) => path === 'faults');
  const [first] = set;
  const link = hasPage
    ? rehearsalLink(rehearsal, 'faults')
    : withQuery(rehearsalLink(rehearsal, 'activity'), { fault: set.length === 1 ? first?.name : undefined });
  return (
    <a
      class="badge warn"
      href={link}
      aria-label={`${counted(set.length, 'fault')} set`}
      title={set.map(({ name, hits }) => `${name}: struck ${hits} times`).join('\n')}
    >
      <span aria-hidden="true">⚡</span>
      {set.length}
      <span class="wide">{set.length === 1 ? ' fault set' : ' faults set'}</span>
    </a>
  );
}

/** The result of the last verification, until the next hop. */
function Invariants() {
  const open = useSignal(false);
  const outcome = verified.value;
  if (!outcome) return null;
  const { invariants, holds, forbidden } = outcome;
  const unverified = whyUnverified(forbidden);
  const held = invariants.filter((one) => one.holds).length;
  return (
    <span class="wide">
      <button type="button" class={`badge ${holds ? 'good' : 'bad'}`} aria-haspopup="dialog" onClick={() => (open.value = true)}>
        <span aria-hidden="true">{holds ? '✓' : '✕'}</span>
        {unverified === undefined ? `${held} of ${invariants.length} invariants hold` : 'not verified'}
      </button>
      {open.value && (
        <Dialog title="Invariants" onClose={() => (open.value = false)}>
          {unverified !== undefined && <p class="in">{unverified}</p>}
          <InvariantList invariants={invariants} />
        </Dialog>
      )}
    </span>
  );
}

const LIVE = {
  connecting: ['', 'Connecting'],
  live: ['good', 'Live'],
  asleep: ['', 'Asleep'],
  unavailable: ['', 'Not live'],
  waiting: ['', 'Every 5 s'],
} as const;

function Live() {
  const state = live.value;
  const isHeld = held.value && state.kind === 'live';
  const [tone, words] =
    state.kind === 'reconnecting'
      ? ['warn', `Reconnecting since ${wallTime(state.since).slice(-8, -3)}`]
      : isHeld
        ? ['warn', 'Paused']
        : LIVE[state.kind];
  return (
    <button
      type="button"
      class={`badge ${tone}`}
      aria-pressed={held.value ? 'true' : 'false'}
      title="Pause new rows, or show them"
      onClick={() => (held.value = !held.value)}
    >
      <span class={state.kind === 'live' && !isHeld ? 'dot live' : 'dot'} aria-hidden="true" />
      {words}
    </button>
  );
}
