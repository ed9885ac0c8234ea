import { pause } from './waiting.ts';

/** What stands between a process and its work. Infrastructure says it, `/readyz` passes it on. */
export interface State {
  /** Whether it can be worked with. */
  readonly ready: boolean;
  /** While it cannot: what it waits for, and why, in words for a person. */
  readonly waitingFor?: string | undefined;
  /** What is wrong although work goes on. */
  readonly degraded?: string | undefined;
}

/** How often it is looked whether all that is waited for is there. */
const LOOK_MS = 50;

export const READY: State = { ready: true };

/** The answer of `/readyz`. */
export interface ReadinessAnswer {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: 'ready' | 'not ready' | 'draining';
    readonly waitingFor?: readonly string[];
    readonly degraded?: readonly string[];
  };
}

/** Ready when every part is. A process that is about to stop is not, so that whoever balances load looks elsewhere. */
export function readinessAnswer(states: readonly State[], draining: boolean): ReadinessAnswer {
  const said = (texts: readonly (string | undefined)[]): string[] => texts.filter((text) => text !== undefined);
  const waitingFor = said(states.map(({ ready, waitingFor: text }) => (ready ? undefined : (text ?? 'something that does not say what'))));
  const degraded = said(states.map((state) => state.degraded));
  const status = draining ? 'draining' : waitingFor.length > 0 ? 'not ready' : 'ready';
  return {
    status: status === 'ready' ? 200 : 503,
    body: { status, ...(waitingFor.length > 0 && { waitingFor }), ...(degraded.length > 0 && { degraded }) },
  };
}

/** Resolves when nothing is waited for any more. */
export async function allReady(states: () => readonly State[], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && states().some(({ ready }) => !ready)) await pause(LOOK_MS);
}
