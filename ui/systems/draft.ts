import { type Signal, signal } from '@preact/signals';
import type { Input } from '../data/data.ts';
import type { Replaceable } from './catalog.ts';
import type { SwapInUse } from './system-read.ts';

export interface DraftHeader {
  readonly name: Signal<string>;
  readonly value: Signal<string>;
}

/** What the form of a system has. Nothing of it is stored. */
export interface Draft {
  readonly url: Signal<string>;
  readonly headers: Signal<readonly DraftHeader[]>;
  readonly currency: Signal<string>;
  readonly timeoutMs: Signal<string>;
  readonly events: Signal<string>;
  readonly keep: Signal<boolean>;
  /** By name. Empty: as in our data. */
  readonly ids: Readonly<Record<string, Signal<string>>>;
  /** Names of the ids and capabilities that the system lacks. */
  readonly lacks: Signal<ReadonlySet<string>>;
}

const MOST_HEADERS = 20;

const emptyHeader = (): DraftHeader => ({ name: signal(''), value: signal('') });

export const newDraft = ({ checks }: Replaceable, swap: SwapInUse | undefined): Draft => ({
  url: signal(swap?.url ?? ''),
  headers: signal(swap && swap.headers.length > 0 ? [] : [{ name: signal('Authorization'), value: signal('') }]),
  currency: signal('EUR'),
  timeoutMs: signal(String(swap?.timeoutMs ?? 5_000)),
  events: signal(swap?.events ?? 'post'),
  keep: signal(swap?.keep ?? false),
  ids: Object.fromEntries((checks?.ids ?? []).map(({ name }) => [name, signal('')])),
  lacks: signal(new Set<string>()),
});

export function addHeader({ headers }: Draft): void {
  if (headers.value.length < MOST_HEADERS) headers.value = [...headers.value, emptyHeader()];
}

/** The headers with a value. */
const headersIn = ({ headers }: Draft): Record<string, string> =>
  Object.fromEntries(headers.value.flatMap(({ name, value }) => (value.value === '' ? [] : [[name.value.trim(), value.value]])));

/** Whether the draft names the system of the rehearsal, whose headers then stay. */
const isSame = (draft: Draft, swap: SwapInUse | undefined): boolean =>
  swap?.url !== undefined && draft.url.value.trim() === swap.url && Object.keys(headersIn(draft)).length === 0;

type CheckBody = NonNullable<Input<'check-system'>['body']>;
type SwapChanges = NonNullable<NonNullable<NonNullable<Input<'reset-rehearsal'>>['body']>['swap']>;
type Change = NonNullable<SwapChanges[keyof SwapChanges]>;

export function checkBody(application: string, draft: Draft, swap: SwapInUse | undefined): CheckBody {
  const { currency, ids, lacks, timeoutMs, url } = draft;
  const given = Object.entries(ids).flatMap(([name, id]) => (id.value.trim() === '' ? [] : [[name, id.value.trim()] as const]));
  const missing = Object.keys(ids).flatMap((name) => (lacks.value.has(name) ? [[name, null] as const] : []));
  return {
    application: application as CheckBody['application'],
    ...(!isSame(draft, swap) && { url: url.value.trim(), headers: headersIn(draft) }),
    timeoutMs: Number(timeoutMs.value),
    currency: currency.value.trim() as CheckBody['currency'],
    ids: Object.fromEntries([...given, ...missing]),
    notOffered: [...lacks.value].filter((name) => !Object.hasOwn(ids, name)),
  };
}

export type Mode = SwapInUse['mode'];

/** The change of a swap to this mode, as the draft has it. */
export function changeTo(mode: Exclude<Mode, 'kept'>, draft: Draft, swap: SwapInUse | undefined): Change {
  const { events, keep, timeoutMs, url } = draft;
  return {
    mode,
    ...(!isSame(draft, swap) && { url: url.value.trim(), headers: headersIn(draft) }),
    timeoutMs: Number(timeoutMs.value),
    events: events.value as 'post' | 'none',
    keep: keep.value,
  };
}

/** Changes the swap of one application, which begins the rehearsal again. */
export const swapBody = (application: string, change: Change | null) => ({ swap: { [application]: change } as SwapChanges });
