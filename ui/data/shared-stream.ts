import { type FrameKind, type OpenStream, openStream, type StreamFrame, type StreamOptions } from './stream.ts';

/** A browser allows six connections to one address. The others are for reads. */
const MOST_STREAMS = 4;
const PLACES = Array.from({ length: MOST_STREAMS }, (_, place) => `place ${place} of a stream`);
/** Wall time after which a tab reports that it waits for a place. */
const PATIENCE_MS = 1_000;

/** What tabs send each other. The tab with the stream sends to all tabs, or to the one that has just joined. */
type Message =
  | { readonly kind: 'joined'; readonly tab: string }
  | { readonly kind: 'opened'; readonly resumed: boolean; readonly to?: string }
  | { readonly kind: 'frame'; readonly frame: StreamFrame; readonly to?: string }
  | { readonly kind: 'broke' };

export interface SharedStreamOptions extends StreamOptions {
  /** Called when all streams of this browser are in use, by visible tabs of other rehearsals. */
  readonly onWait: () => void;
}

/**
 * Follows the stream of a rehearsal. Tabs of one browser that show the same rehearsal with the same credential share one stream: one tab
 * reads it and passes the frames on. When this tab is closed or sleeps, another one resumes after the last frame. Without locks, which
 * browsers offer on secure origins only, each tab has its own stream.
 */
export function joinStream(rehearsal: string, options: SharedStreamOptions): OpenStream {
  if (navigator.locks === undefined) return openStream(options);
  const closing = new AbortController();
  void nameOf(rehearsal, options.headers()).then((name) => {
    if (!closing.signal.aborted) follow(name, options, closing.signal);
  });
  return { close: () => closing.abort() };
}

/** Tabs with different credentials share nothing, and the name reveals none. */
async function nameOf(rehearsal: string, headers: Record<string, string>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify([rehearsal, headers])));
  return `stream ${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function follow(name: string, options: SharedStreamOptions, closed: AbortSignal): void {
  const tab = crypto.randomUUID();
  const channel = new BroadcastChannel(name);
  const send = (message: Message): void => channel.postMessage(message);
  closed.addEventListener('abort', () => channel.close());
  let cursor: string | undefined;

  function take(frame: StreamFrame): boolean {
    if (!isNews(frame, cursor)) return false;
    cursor = frame.id ?? cursor;
    options.onFrame(frame.kind, frame.data);
    return true;
  }

  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if ('to' in message && message.to !== undefined && message.to !== tab) return;
    if (message.kind === 'opened') options.onOpen(message.resumed && cursor !== undefined);
    if (message.kind === 'frame') take(message.frame);
    if (message.kind === 'broke') options.onBreak();
  };
  send({ kind: 'joined', tab });

  /** Reads the stream for all tabs until this one is closed. */
  function lead(): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    /** What a stream sends at its beginning, as it is now. */
    const latest = new Map<FrameKind, StreamFrame>();
    let isOpen = false;
    const opened = (resumed: boolean): void => {
      isOpen = true;
      options.onOpen(resumed);
      send({ kind: 'opened', resumed });
    };
    channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
      if (message.kind !== 'joined' || !isOpen) return;
      send({ kind: 'opened', resumed: false, to: message.tab });
      for (const frame of latest.values()) send({ kind: 'frame', frame, to: message.tab });
    };
    const stream = openStream({
      ...options,
      from: cursor,
      onOpen: opened,
      onBreak: () => {
        isOpen = false;
        options.onBreak();
        send({ kind: 'broke' });
      },
      onRefusal: (refusal) => {
        options.onRefusal(refusal);
        end();
      },
      onFrame: (kind, data, id) => {
        const frame = { kind, data, id };
        if (kind === 'clock' || kind === 'faults' || kind === 'runs') latest.set(kind, frame);
        if (take(frame)) send({ kind: 'frame', frame });
      },
    });
    closed.addEventListener('abort', () => {
      stream.close();
      end();
    });
    return ended;
  }

  void holding(name, closed, () => inAPlace(closed, options.onWait, lead));
}

/** Runs the work while this tab has the lock. Leaving earlier ends the wait without an error. */
const holding = (lock: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> =>
  navigator.locks
    .request(lock, { signal }, () => (signal.aborted ? Promise.resolve() : work()))
    .then(
      () => {},
      () => {},
    );

/** Runs the work in the first free place. */
async function inAPlace(closed: AbortSignal, onWait: () => void, work: () => Promise<void>): Promise<void> {
  const found = new AbortController();
  const waiting = setTimeout(onWait, PATIENCE_MS);
  const signal = AbortSignal.any([closed, found.signal]);
  const takePlace = (): Promise<void> => {
    clearTimeout(waiting);
    found.abort();
    return work();
  };
  await Promise.all(PLACES.map((place) => holding(place, signal, takePlace)));
  clearTimeout(waiting);
}

/** A new reader resumes after its own last frame, so another tab can get records twice. */
function isNews({ kind, id }: StreamFrame, cursor: string | undefined): boolean {
  if ((kind !== 'hops' && kind !== 'events') || id === undefined || cursor === undefined) return true;
  const [hops, events, world] = partsOf(id);
  const [knownHops, knownEvents, knownWorld] = partsOf(cursor);
  return world !== knownWorld || Number(hops) > Number(knownHops) || Number(events) > Number(knownEvents);
}

/** `h12.e3.w01J…` as `12`, `3` and `01J…`. */
const partsOf = (cursor: string): readonly string[] => cursor.split('.').map((part) => part.slice(1));
