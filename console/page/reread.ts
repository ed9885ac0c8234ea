import { useEffect, useRef } from 'preact/hooks';
import { onFrames } from './live.ts';
import type { FrameKind } from './stream.ts';

/** Frames come up to ten times a second; numbers change about as often as people can read them. Wall time. */
const REREAD_MS = 500;

/** Reads again after frames of these kinds, once for all that come within the time. Without frames there is no timer. */
export function useReread(kinds: readonly FrameKind[], reread: () => void): void {
  const latest = useRef(reread);
  latest.current = reread;
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | undefined;
    const later = (): void => {
      due ??= setTimeout(() => {
        due = undefined;
        latest.current();
      }, REREAD_MS);
    };
    const leave = kinds.map((kind) => onFrames(kind, later));
    return () => {
      clearTimeout(due);
      for (const end of leave) end();
    };
  }, []);
}
