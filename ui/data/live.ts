import { signal } from '@preact/signals';
import { authorization } from './control.ts';
import { signOut } from './session.ts';
import { joinStream } from './shared-stream.ts';
import type { Frame, FrameKind } from './stream.ts';

export type LiveState =
  | { readonly kind: 'connecting' | 'live' | 'unavailable' }
  /** Other tabs use all streams of this browser. The page is read again from time to time. */
  | { readonly kind: 'waiting' }
  /** The tab has been hidden for a while. The stream is closed until the tab is shown again. */
  | { readonly kind: 'asleep' }
  /** Wall time. */
  | { readonly kind: 'reconnecting'; readonly since: number };

/** Wall time before a hidden tab leaves its stream to visible ones. */
const HIDDEN_MS = 10_000;
/** Wall time between two reads of a page that waits for a stream. */
const WAITING_MS = 5_000;

export const live = signal<LiveState>({ kind: 'connecting' });
/** The gateway is away: verbs would fail. */
export const isCutOff = (): boolean => live.value.kind === 'reconnecting';
/** New rows wait until the user shows them. */
export const held = signal(false);

type Handler = (data: unknown) => void;
const handlers = new Map<FrameKind, Set<Handler>>();
let open: { readonly rehearsal: string; close(): void } | undefined;
/** Whether the handlers have yet to be called for a stream that does not resume an earlier one. */
let isBeginning = false;
const beginnings = new Set<() => void>();
let wanted: string | undefined;
let reading: ReturnType<typeof setInterval> | undefined;
let sleeping: ReturnType<typeof setTimeout> | undefined;

/** Calls the handler with each frame of a kind. @returns how to end that */
export function onFrames<Kind extends FrameKind>(kind: Kind, handle: (data: Frame<Kind>) => void): () => void {
  const ofKind = handlers.get(kind) ?? new Set<Handler>();
  handlers.set(kind, ofKind);
  const handler: Handler = (data) => handle(data as Frame<Kind>);
  ofKind.add(handler);
  return () => ofKind.delete(handler);
}

/** Calls the handler when a stream begins without resuming: earlier data may be stale. @returns how to end that */
export function onBeginning(handle: () => void): () => void {
  beginnings.add(handle);
  return () => beginnings.delete(handle);
}

/** Keeps one stream open for a rehearsal; undefined closes it. */
export function watch(rehearsal: string | undefined): void {
  wanted = rehearsal;
  if (open?.rehearsal === rehearsal) return;
  close();
  if (rehearsal !== undefined && !document.hidden) connect(rehearsal);
}

function connect(rehearsal: string): void {
  live.value = { kind: 'connecting' };
  const stream = joinStream(rehearsal, {
    headers: () => authorization(rehearsal),
    onOpen: (resumed) => {
      clearInterval(reading);
      live.value = { kind: 'live' };
      isBeginning ||= !resumed;
    },
    onWait: () => {
      live.value = { kind: 'waiting' };
      reading = setInterval(readAgain, WAITING_MS);
    },
    onBreak: () => {
      if (live.peek().kind !== 'reconnecting') live.value = { kind: 'reconnecting', since: Date.now() };
    },
    onRefusal: ({ isOfCredential, detail }) => {
      live.value = { kind: 'unavailable' };
      if (isOfCredential) signOut(detail);
    },
    onFrame: (kind, data) => {
      if (isBeginning) readAgain();
      isBeginning = false;
      dispatch(kind, data);
    },
  });
  open = { rehearsal, close: stream.close };
}

const readAgain = (): void => {
  for (const handle of beginnings) handle();
};

function dispatch(kind: FrameKind, data: unknown): void {
  for (const handler of handlers.get(kind) ?? []) handler(data);
}

function close(): void {
  clearInterval(reading);
  open?.close();
  open = undefined;
}

/** A closed stream has missed frames, so each list is read again. */
function wake(): void {
  if (open || wanted === undefined) return;
  connect(wanted);
  dispatch('gap', { reason: 'discarded' });
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(sleeping);
  if (!document.hidden) return wake();
  sleeping = setTimeout(() => {
    close();
    live.value = { kind: 'asleep' };
  }, HIDDEN_MS);
});
