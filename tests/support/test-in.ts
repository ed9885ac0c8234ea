import { afterAll, beforeAll, test } from '@jest/globals';

/** Where a test takes place: a rehearsal with the steps of a story, or applications without the others. */
interface Scene extends AsyncDisposable {
  readonly noFaults?: () => Promise<unknown>;
  /** Fails the test with the violated invariants, if any. */
  readonly verify?: () => Promise<unknown>;
}

/** A story, with the values of its row after the scene. */
interface Each<S> {
  <Row extends readonly unknown[] | readonly [unknown]>(
    rows: readonly Row[],
  ): (title: string, story: (scene: S, ...row: [...Row]) => Promise<unknown>, timeoutMs?: number) => void;
  <Row>(rows: readonly Row[]): (title: string, story: (scene: S, row: Row) => Promise<unknown>, timeoutMs?: number) => void;
}

/**
 * A `test` that opens a scene for each story. At the end of the story all faults end, every invariant must hold, and the scene is deleted.
 * @example const test = testIn(byHand);
 */
export function testIn<S extends Scene>(open: () => Promise<S>) {
  const run = (story: (scene: S) => Promise<unknown>): Promise<void> => played(story).catch(throwFirst);
  const played = async (story: (scene: S) => Promise<unknown>): Promise<void> => {
    await using scene = await open();
    await story(scene);
    await scene.noFaults?.();
    await scene.verify?.();
  };
  const each =
    (rows: readonly unknown[]) => (title: string, story: (scene: S, ...row: unknown[]) => Promise<unknown>, timeoutMs?: number) =>
      test.each(rows as unknown[][])(title, (...row) => run((scene) => story(scene, ...row)), timeoutMs);
  const one = (title: string, story: (scene: S) => Promise<unknown>, timeoutMs?: number): void => test(title, () => run(story), timeoutMs);
  return Object.assign(one, { each: each as Each<S> });
}

/** A story that fails often leaves a scene that cannot be closed. Its own error then comes first. */
function throwFirst(error: Error & { readonly error?: unknown; readonly suppressed?: unknown }): never {
  if (!(error.suppressed instanceof Error)) throw error;
  error.suppressed.cause ??= error.error;
  throw error.suppressed;
}

/** One scene for all tests of a file or of a `describe`. It is open while they run. */
export function sharedIn<S extends AsyncDisposable>(open: () => Promise<S>): S {
  let scene: S | undefined;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(async () => scene?.[Symbol.asyncDispose]());
  return new Proxy({} as S, { get: (_target, member) => Reflect.get(scene ?? {}, member) });
}
