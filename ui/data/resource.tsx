import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemCard, Skeleton } from '../kit/parts.tsx';
import { asRefusal, isAborted, type Refusal } from './refusal.ts';

/** Until a read that found no answer is tried again, while an earlier value is shown: nobody would see that it is old. Wall time. */
const AGAIN_AFTER_MS = 2_000;
/** A shorter wait shows nothing, so that quick answers do not flicker. */
const SKELETON_AFTER_MS = 200;

export interface Resource<T> {
  /** The last value of this key; it stays while the resource is read again. */
  readonly value: T | undefined;
  readonly refusal: Refusal | undefined;
  /** It has taken long enough to say so. */
  readonly slow: boolean;
  readonly reload: () => void;
}

interface Loaded<T> {
  readonly key: string;
  readonly value?: T;
  readonly refusal?: Refusal;
}

/** Reads something when the key changes, and again on `reload`: `useResource(id, (signal) => control('read-hop', …, { signal }))`. */
export function useResource<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ key });
  const [slowKey, setSlowKey] = useState<string>();
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  const shown = useRef<Loaded<T>>(loaded);
  shown.current = loaded;
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const leaving = new AbortController();
    const slow = setTimeout(() => setSlowKey(key), SKELETON_AFTER_MS);
    let again: ReturnType<typeof setTimeout> | undefined;
    latest
      .current(leaving.signal)
      .then((value) => setLoaded({ key, value }))
      .catch((error: unknown) => {
        if (leaving.signal.aborted || isAborted(error)) return;
        const refusal = asRefusal(error);
        setLoaded((before) => ({ ...(before.key === key && before), key, refusal }));
        const isOld = shown.current.key === key && shown.current.value !== undefined;
        if (isOld && mayPass(refusal)) again = setTimeout(reload, AGAIN_AFTER_MS);
      })
      .finally(() => clearTimeout(slow));
    return () => {
      leaving.abort();
      clearTimeout(slow);
      clearTimeout(again);
    };
  }, [key, round]);
  const current = loaded.key === key ? loaded : undefined;
  return { value: current?.value, refusal: current?.refusal, slow: slowKey === key, reload };
}

/** Whether the same read can succeed later: the gateway was away, failed, or had too much to do. */
const mayPass = ({ status }: Refusal): boolean => status === 0 || status === 429 || status >= 500;

/** Draws a resource, or its state: nothing yet, a skeleton, the problem with a button. */
export function drawn<T>({ value, refusal, slow, reload }: Resource<T>, draw: (value: T) => ComponentChildren): ComponentChildren {
  if (value !== undefined) return draw(value);
  if (refusal) return <ProblemCard refusal={refusal} retry={reload} />;
  return slow ? <Skeleton rows={6} /> : null;
}
