import { pause } from './waiting.ts';

/** Readiness of a part of a process, as `/readyz` reports it. */
export interface State {
  /** Whether the part can be used. */
  readonly ready: boolean;
  /** While not ready: the missing dependency and the reason, for people. */
  readonly waitingFor?: string;
  /** A problem that does not stop work. */
  readonly degraded?: string;
}

/** Readiness of an application, as the gateway reports it. */
export interface ApplicationState extends State {
  readonly name: string;
}

const CHECK_MS = 50;

export const READY: State = { ready: true };

export interface ReadinessAnswer {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: 'ready' | 'not ready' | 'draining';
    readonly waitingFor?: readonly string[];
    readonly degraded?: readonly string[];
    /** At the gateway: `ready`, or the reason, by application. They do not decide whether the gateway is ready. */
    readonly applications?: Readonly<Record<string, string>>;
  };
}

/** Ready when every part is. A draining process is not ready, so that load balancers choose another one. */
export function readinessAnswer(
  states: readonly State[],
  draining: boolean,
  applications: readonly ApplicationState[] = [],
): ReadinessAnswer {
  const waitingFor = states.filter(({ ready }) => !ready).map((state) => state.waitingFor ?? 'an unnamed dependency');
  const degraded = states.flatMap((state) => state.degraded ?? []);
  const status = draining ? 'draining' : waitingFor.length > 0 ? 'not ready' : 'ready';
  return {
    status: status === 'ready' ? 200 : 503,
    body: {
      status,
      waitingFor: waitingFor.length > 0 ? waitingFor : undefined,
      degraded: degraded.length > 0 ? degraded : undefined,
      applications: applications.length > 0 ? Object.fromEntries(applications.map(named)) : undefined,
    },
  };
}

const named = ({ name, ready, waitingFor = 'not ready' }: ApplicationState): [string, string] => [name, ready ? 'ready' : waitingFor];

/** Resolves when all parts are ready, or when stopping. */
export async function allReady(states: () => readonly State[], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && states().some(({ ready }) => !ready)) await pause(CHECK_MS);
}
