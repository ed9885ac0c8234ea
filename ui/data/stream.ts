import type { output } from 'zod';
import { eventsOf } from '../../rehearsal/event-stream.ts';
import type { StreamFrames } from '../../shared/catalog/control/operations/stream.ts';
import { type Refusal, refusalOf } from './refusal.ts';

export type FrameKind = keyof typeof StreamFrames;
export type Frame<Kind extends FrameKind> = output<(typeof StreamFrames)[Kind]>;

export interface StreamFrame {
  readonly kind: FrameKind;
  readonly data: unknown;
  /** The cursor after the frame. */
  readonly id: string | undefined;
}

export interface OpenStream {
  close(): void;
}

export interface StreamOptions {
  readonly headers: () => Record<string, string>;
  /** The cursor to resume after. */
  readonly from?: string | undefined;
  readonly onFrame: (kind: FrameKind, data: unknown, id?: string) => void;
  /** @param resumed whether it continues after the last frame; otherwise frames may have been missed */
  readonly onOpen: (resumed: boolean) => void;
  /** Called when it broke. It retries. */
  readonly onBreak: () => void;
  /** Called when the gateway refuses the credential or does not know the rehearsal: trying again would not help. */
  readonly onRefusal: (refusal: Refusal) => void;
}

const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Reads the stream of a rehearsal until it is closed, and resumes after the last frame when it breaks. */
export function openStream({ headers, from, onFrame, onOpen, onBreak, onRefusal }: StreamOptions): OpenStream {
  const closing = new AbortController();
  let cursor = from;
  let wait = SHORTEST_WAIT_MS;

  /** @returns whether to try again */
  async function readOnce(): Promise<boolean> {
    const answer = await fetch('/_control/stream', {
      headers: { ...headers(), Accept: 'text/event-stream', ...(cursor !== undefined && { 'Last-Event-ID': cursor }) },
      signal: closing.signal,
      cache: 'no-store',
    });
    if (!answer.ok || !answer.body) {
      const refusal = await refusalOf(answer);
      if (refusal.retryAfter !== undefined) wait = refusal.retryAfter * 1_000;
      if ([401, 403, 404].includes(refusal.status)) {
        onRefusal(refusal);
        return false;
      }
      return true;
    }
    wait = SHORTEST_WAIT_MS;
    onOpen(cursor !== undefined);
    for await (const { id, event, data } of eventsOf(chunksOf(answer.body))) {
      if (id !== undefined) cursor = id;
      if (event !== undefined) onFrame(event as FrameKind, JSON.parse(data), cursor);
    }
    return true;
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const again = await readOnce().catch(() => true);
      if (!again || closing.signal.aborted) return;
      onBreak();
      await pause(wait, closing.signal);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  void run();
  return { close: () => closing.abort() };
}

/** Not every browser can iterate over a body. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(end);
      resolve();
    });
  });
