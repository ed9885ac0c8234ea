/** Runs a job again and again, with a pause after each run. A failed run is reported. @returns a function that stops it */
export function repeatedly(
  everyMs: number,
  job: () => Promise<void>,
  { onError, atOnce }: { readonly onError: (error: Error) => void; readonly atOnce: boolean },
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  async function turn(): Promise<void> {
    try {
      await job();
    } catch (error) {
      if (!stopped) onError(error as Error);
    }
    if (!stopped) timer = setTimeout(turn, everyMs).unref();
  }
  timer = setTimeout(turn, atOnce ? 0 : everyMs).unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
