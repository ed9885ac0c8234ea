import { type ComponentChildren, h } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemCard, Skeleton } from './parts.ts';
import { asRefusal, isAborted, type Refusal } from './refusal.ts';

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
  useEffect(() => {
    const leaving = new AbortController();
    const slow = setTimeout(() => setSlowKey(key), SKELETON_AFTER_MS);
    latest
      .current(leaving.signal)
      .then((value) => setLoaded({ key, value }))
      .catch((error: unknown) => {
        if (leaving.signal.aborted || isAborted(error)) return;
        setLoaded((before) => ({ ...(before.key === key && before), key, refusal: asRefusal(error) }));
      })
      .finally(() => clearTimeout(slow));
    return () => {
      leaving.abort();
      clearTimeout(slow);
    };
  }, [key, round]);
  const current = loaded.key === key ? loaded : undefined;
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { value: current?.value, refusal: current?.refusal, slow: slowKey === key, reload };
}

/** Draws a resource, or its state: nothing yet, a skeleton, the problem with a button. */
export function drawn<T>({ value, refusal, slow, reload }: Resource<T>, draw: (value: T) => ComponentChildren): ComponentChildren {
  if (value !== undefined) return draw(value);
  if (refusal) return h(ProblemCard, { refusal, retry: reload });
  return slow ? h(Skeleton, { rows: 6 }) : null;
}
