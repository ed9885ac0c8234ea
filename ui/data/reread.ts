import { useEffect, useRef } from 'preact/hooks';
import { live, onFrames, useBeginning } from './live.ts';
import type { FrameKind } from './stream.ts';

/** Frames come up to ten times a second; numbers change about as often as people can read them. Wall time. */
const REREAD_MS = 500;

/** Reads again when a stream begins and after frames of these kinds, once for all that come within the time. Without frames there is no timer. */
export function useReread(kinds: readonly FrameKind[], reread: () => void): void {
  const latest = useRef(reread);
  latest.current = reread;
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (): void => {
    due.current ??= setTimeout(() => {
      due.current = undefined;
      // While the console sleeps, nobody looks. The next beginning reads again.
      if (live.peek().kind !== 'asleep') latest.current();
    }, REREAD_MS);
  };
  useBeginning(later);
  useEffect(() => {
    const leave = kinds.map((kind) => onFrames(kind, later));
    return () => {
      clearTimeout(due.current);
      for (const end of leave) end();
    };
  }, []);
}
