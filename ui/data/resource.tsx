import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemCard, Skeleton } from '../kit/parts.tsx';
import { type ControlOptions, control, type Input, type OperationId, type Output } from './control.ts';
import { live, onBeginning, onFrames } from './live.ts';
import { asRefusal, isAborted, type Refusal } from './refusal.ts';
import { route } from './router.ts';
import type { Frame, FrameKind } from './stream.ts';

/** Wall time before a failed read is repeated while the page shows an earlier value. Nothing on the page shows that this value is old. */
const AGAIN_AFTER_MS = 2_000;
/** A shorter wait shows nothing, so that quick answers do not flicker. */
const SKELETON_AFTER_MS = 200;
/** Frames come up to ten times a second; numbers change about as often as people can read them. Wall time. */
const REREAD_MS = 500;
/** Wall time after which an unfinished read is repeated. */
const LONGEST_READ_MS = 5_000;

export interface Resource<T> {
  /** The last value of this key; it stays while the resource is read again. */
  readonly value: T | undefined;
  readonly refusal: Refusal | undefined;
  /** The read has lasted so long that the page shows a placeholder. */
  readonly slow: boolean;
  readonly reload: () => void;
}

interface Loaded<T> {
  readonly key: string;
  readonly value?: T;
  readonly refusal?: Refusal;
}

type AnyFrame = { readonly [Kind in FrameKind]: readonly [Kind, Frame<Kind>] }[FrameKind];

interface Following<T> {
  /** Reads it again when a stream begins and after frames of these kinds. */
  readonly follows?: readonly FrameKind[];
  /** Whether a frame can have changed the value. Default: each frame can. */
  readonly concerns?: (frame: AnyFrame, value: T | undefined) => boolean;
}

/**
 * Reads something when its name or the rehearsal changes, and again on `reload`: `useResource(id, (signal) => control('read-hop', …, { signal }))`.
 */
export function useResource<T>(
  name: string,
  read: (signal: AbortSignal) => Promise<T>,
  { follows = [], concerns = () => true }: Following<T> = {},
): Resource<T> {
  const key = `${route.peek().rehearsal} ${name}`;
  const [loaded, setLoaded] = useState<Loaded<T>>({ key });
  const [slowKey, setSlowKey] = useState<string>();
  const [round, setRound] = useState(0);
  const readingSince = useRef<number>(undefined);
  const latest = useRef({ read, loaded });
  latest.current = { read, loaded };
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const leaving = new AbortController();
    const slow = setTimeout(() => setSlowKey(key), SKELETON_AFTER_MS);
    let again: ReturnType<typeof setTimeout> | undefined;
    readingSince.current = Date.now();
    latest.current
      .read(leaving.signal)
      .then((value) => leaving.signal.aborted || setLoaded({ key, value }))
      .catch((error: unknown) => {
        if (leaving.signal.aborted || isAborted(error)) return;
        const refusal = asRefusal(error);
        setLoaded((before) => ({ ...(before.key === key && before), key, refusal }));
        const { loaded: shown } = latest.current;
        if (shown.key === key && shown.value !== undefined && mayPass(refusal)) again = setTimeout(reload, AGAIN_AFTER_MS);
      })
      .finally(() => {
        clearTimeout(slow);
        if (!leaving.signal.aborted) readingSince.current = undefined;
      });
    return () => {
      leaving.abort();
      clearTimeout(slow);
      clearTimeout(again);
    };
  }, [key, round]);
  const current = loaded.key === key ? loaded : undefined;
  const isConcerned = (frame: AnyFrame): boolean => concerns(frame, current?.value);
  const isReading = (): boolean => Date.now() - (readingSince.current ?? 0) < LONGEST_READ_MS;
  useReread(follows, reload, { isConcerned, isReading });
  return { value: current?.value, refusal: current?.refusal, slow: slowKey === key, reload };
}

type ReadOptions<Id extends OperationId> = Following<Output<Id>> & Pick<ControlOptions, 'rehearsal'>;
type Control = <Id extends OperationId>(id: Id, input: Input<Id> | undefined, options: ControlOptions) => Promise<Output<Id>>;

/** An operation as a resource: `useRead('read-hop', { params: { requestId } })`. */
export function useRead<Id extends OperationId>(
  id: Id,
  ...[input, options = {}]: Record<never, never> extends Input<Id>
    ? [input?: Input<Id>, options?: ReadOptions<Id>]
    : [input: Input<Id>, options?: ReadOptions<Id>]
): Resource<Output<Id>> {
  const { rehearsal } = options;
  // For a generic id, the compiler cannot decide whether the input is optional.
  const read = control as unknown as Control;
  return useResource(JSON.stringify([id, input, rehearsal]), (signal) => read(id, input, { rehearsal, signal }), options);
}

/** Whether the same read can succeed later: the gateway was away, failed, or had too much to do. */
const mayPass = ({ status }: Refusal): boolean => status === 0 || status === 429 || status >= 500;

interface RereadOptions {
  readonly isConcerned?: (frame: AnyFrame) => boolean;
  /** Whether a read is in progress. Frames do not interrupt it; otherwise frequent frames would keep it from ending. */
  readonly isReading?: () => boolean;
}

/** Reads again when a stream begins and after frames of these kinds. One read covers all frames of an interval. A timer runs only after a frame. */
export function useReread(kinds: readonly FrameKind[], reread: () => void, options: RereadOptions = {}): void {
  const latest = useRef({ reread, ...options });
  latest.current = { reread, ...options };
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (): void => {
    due.current ??= setTimeout(() => {
      due.current = undefined;
      if (latest.current.isReading?.()) return later();
      // While the console sleeps, nobody looks. The next beginning reads again.
      if (live.peek().kind !== 'asleep') latest.current.reread();
    }, REREAD_MS);
  };
  useEffect(() => {
    const leave = kinds.map((kind) =>
      onFrames(kind, (data) => {
        if (latest.current.isConcerned?.([kind, data] as AnyFrame) !== false) later();
      }),
    );
    if (kinds.length > 0) leave.push(onBeginning(later));
    return () => {
      clearTimeout(due.current);
      for (const end of leave) end();
    };
  }, []);
}

/** Draws a resource, or its state: nothing yet, a skeleton, the problem with a button. */
export function drawn<T>({ value, refusal, slow, reload }: Resource<T>, draw: (value: T) => ComponentChildren): ComponentChildren {
  if (value !== undefined) return draw(value);
  if (refusal) return <ProblemCard refusal={refusal} retry={reload} />;
  return slow ? <Skeleton rows={6} /> : null;
}
