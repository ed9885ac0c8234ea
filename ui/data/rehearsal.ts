import { batch, computed, effect, signal } from '@preact/signals';
import { whyUnverified } from '../../shared/catalog/control/drift.ts';
import { columnTime, counted, rehearsalSecond, rehearsalTime } from '../kit/format.ts';
import { failure, type Message, say } from '../kit/status-line.tsx';
import { control, type Output } from './control.ts';
import { isCutOff, onFrames, watch } from './live.ts';
import { asRefusal, Refusal } from './refusal.ts';
import { isRehearsalName, rehearsalLink } from './route.ts';
import { route } from './router.ts';
import { forgetRehearsal, noteRehearsal } from './session-keys.ts';

/** The rehearsal in the address, as every page shows it. */
export const clock = signal<Output<'read-clock'> | undefined>(undefined);
/** The date on the clock: `2026-11-22`. */
const today = computed(() => clock.value?.now.slice(0, 10));
/** In UTC: `11:15:53Z`, with the date if the clock has another: `2026-11-22 11:15:53Z`. */
export const clockTime = (at: string): string => rehearsalSecond(at).slice(at.slice(0, 10) === today.value ? 11 : 0);
/** In a column of a list: with the date if the clock has another. */
export const shortTime = (at: string): string => columnTime(at, today.value);
export const faults = signal<Output<'list-faults'>['items'] | undefined>(undefined);
export const verified = signal<Output<'verify'> | undefined>(undefined);
/** Why the rehearsal cannot be shown. */
export const trouble = signal<Refusal | undefined>(undefined);
/** The action that runs: its buttons wait. */
export const busy = signal<string | undefined>(undefined);
/** For `aria-disabled`, which keeps the focus on the button that runs. */
export const isBusy = (): 'true' | undefined => (busy.value === undefined ? undefined : 'true');

/** Whether the buttons of the bar and of a hop are off: an action runs, or the gateway is away. */
const verbsOff = (): boolean => busy.value !== undefined || isCutOff();

/** The value of `aria-disabled`: a disabled button would lose the focus. */
export const offState = (): 'true' | undefined => (verbsOff() ? 'true' : undefined);

/** The action of a button that does nothing while verbs are off. */
export const unlessOff = (run: () => void) => (): void => {
  if (!verbsOff()) run();
};

/** Reads what the bar shows and opens the stream. Called when the rehearsal in the address or the session changes. */
export async function enterRehearsal(rehearsal: string | undefined): Promise<void> {
  batch(() => {
    clock.value = undefined;
    faults.value = undefined;
    verified.value = undefined;
    trouble.value = undefined;
  });
  watch(undefined);
  if (rehearsal === undefined) return;
  try {
    if (!isRehearsalName(rehearsal)) throw unknownRehearsal(rehearsal);
    const now = await control('read-clock', undefined, { rehearsal });
    if (route.peek().rehearsal !== rehearsal) return;
    noteRehearsal(rehearsal);
    clock.value = now;
    watch(rehearsal);
    await readFaults();
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.code === 'unknown_rehearsal') forgetRehearsal(rehearsal);
    if (route.peek().rehearsal === rehearsal) trouble.value = refusal;
  }
}

/** Tries again to show a rehearsal that could not be shown. Until that succeeds, the page does not change. */
export async function enterAgain(): Promise<void> {
  const { rehearsal } = route.peek();
  if (rehearsal === undefined || trouble.peek() === undefined || !isRehearsalName(rehearsal)) return;
  try {
    await control('read-clock', undefined, { rehearsal });
  } catch (error) {
    if (route.peek().rehearsal === rehearsal) trouble.value = asRefusal(error);
    return;
  }
  if (route.peek().rehearsal === rehearsal) await enterRehearsal(rehearsal);
}

const unknownRehearsal = (name: string): Refusal =>
  new Refusal({ status: 404, code: 'unknown_rehearsal', title: 'Unknown rehearsal', detail: `There is no rehearsal ${name}.` });

/** Whether a fault has struck as often as it may. */
export const isUsedUp = ({ times, hits }: Output<'list-faults'>['items'][number]): boolean => times !== undefined && hits >= times;

export async function readFaults(): Promise<void> {
  const { rehearsal } = route.peek();
  const { items } = await control('list-faults', undefined, { rehearsal });
  if (route.peek().rehearsal === rehearsal) faults.value = items;
}

let clockSetAt = Date.now();
effect(() => {
  if (clock.value) clockSetAt = Date.now();
});
// A clock that flows sends no frames. What is shown changes once a minute.
setInterval(() => {
  const shown = clock.peek();
  if (!shown?.flowing) return;
  const now = new Date(Date.parse(shown.now) + Date.now() - clockSetAt).toISOString();
  if (rehearsalTime(now) !== rehearsalTime(shown.now)) clock.value = { ...shown, now };
}, 1_000);

onFrames('clock', (sent) => {
  const shown = clock.peek();
  // During an advance, a flowing clock stands still. The page does not show it as frozen.
  clock.value = shown && busy.peek() === 'advance' ? { ...sent, flowing: shown.flowing } : sent;
});
onFrames('faults', () => void readFaults().catch(() => {}));
onFrames('hops', () => {
  verified.value = undefined;
});
onFrames('gap', ({ reason }) => {
  if (reason === 'deleted') return void enterRehearsal(route.peek().rehearsal);
  verified.value = undefined;
  void control('read-clock')
    .then((now) => {
      clock.value = now;
    })
    .catch(() => {});
  void readFaults().catch(() => {});
});

/** Runs an action while no other one runs. @throws what it throws */
export async function alone(name: string, run: () => Promise<void>): Promise<void> {
  if (busy.peek() !== undefined) return;
  busy.value = name;
  try {
    await run();
  } finally {
    busy.value = undefined;
  }
}

/** Runs the action of a button, one at a time, and reports its outcome. */
export const act = (name: string, run: () => Promise<string | Message | undefined>): Promise<void> =>
  alone(name, async () => {
    const message = await run();
    if (message) say(message);
  }).catch((error: unknown) => say(failure(asRefusal(error).detail)));

type Advance = { readonly by: string } | { readonly to: string };

export const advance = (body: Advance): Promise<void> => act('advance', () => moveClock(body));

/** @returns what happened on the way, for the status line. @throws Refusal */
export async function moveClock(body: Advance): Promise<Message> {
  const { now, ran, settled, waitingFor, move } = await control('advance-clock', { body });
  clock.value = { flowing: false, ...clock.peek(), now };
  const { rehearsal } = route.peek();
  const link =
    rehearsal === undefined || move === undefined
      ? undefined
      : { href: rehearsalLink(rehearsal, 'activity', 'clock', String(move)), words: `${counted(ran.length, 'timer')} ran` };
  if (!settled) return failure(`It is ${rehearsalTime(now)}; the estate still waits for ${waitingFor.join(', ')}.`, link);
  return { text: `It is ${rehearsalTime(now)}.${link ? '' : ' Nothing was due.'}`, link };
}

export const setFlowing = (flowing: boolean): Promise<void> =>
  act('set-clock', async () => {
    const set = await control('set-clock', { body: { flowing } });
    clock.value = set;
    return flowing ? `The clock flows on from ${rehearsalTime(set.now)}.` : `The clock is frozen at ${rehearsalTime(set.now)}.`;
  });

export const settle = (): Promise<void> =>
  act('settle', async () => {
    const { settled, waitingFor, parked, withheld } = await control('settle', { body: {} });
    if (!settled) return failure(`Not settled: it waits for ${waitingFor.join(', ')}.`);
    const rest = [parked.length > 0 && `${parked.length} parked`, withheld.length > 0 && `${withheld.length} withheld`].filter(Boolean);
    return rest.length === 0 ? 'Settled: nothing is under way.' : `Settled; ${rest.join(', ')}.`;
  });

const showVerified = (outcome: Output<'verify'>): void => {
  verified.value = outcome;
};

/** Verifies a rehearsal. Default: the one in the address, whose outcome the bar shows. */
export const verify = (show = showVerified, rehearsal?: string): Promise<void> =>
  act('verify', async () => {
    const outcome = await control('verify', undefined, { rehearsal });
    show(outcome);
    const unverified = whyUnverified(outcome.forbidden);
    if (unverified !== undefined) return failure(unverified);
    const broken = outcome.invariants.filter(({ holds }) => !holds).length;
    return broken === 0
      ? `All ${outcome.invariants.length} invariants hold.`
      : failure(`${counted(broken, 'invariant')} of ${outcome.invariants.length} broken.`);
  });
