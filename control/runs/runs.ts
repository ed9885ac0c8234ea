import { isOpen } from '../../shared/catalog/control/run-states.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import { newId } from '../../shared/domain/ids.ts';
import { nearestWord } from '../../shared/domain/nearest-word.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Logger } from '../../shared/process/logger.ts';
import { pause } from '../../shared/process/waiting.ts';
import type { RehearsalStore } from '../../shared/store/ports/rehearsals.ts';
import type { RunStore } from '../../shared/store/ports/runs.ts';
import { headOf, ITS_GATEWAY_STOPPED, LEASE_MS, recordOf, runOf, startRecording } from './recording.ts';
import type { Conduct, ListedScenario, RunHead, RunState, ScenarioRunner } from './scenario-runner.ts';

/** Maximum number of concurrent runs. Each run loads the estate as much as a busy client. */
const RUNS_AT_ONCE = 2;
/** Maximum number of runs in the list. The rehearsals of these runs are kept too. */
const RUNS_KEPT = 40;
const RENEWAL_MS: Ms = 1_000;
/** Wall time between polls of a waiting run for its turn: a run of another gateway may have ended. */
const LOOK_MS: Ms = 250;
const RETRY_SECONDS = 10;

interface RunsOptions {
  readonly store: RunStore & Pick<RehearsalStore, 'remove'>;
  readonly scenarios: ScenarioRunner;
  readonly log: Logger;
}

interface OwnRun {
  /** Stops the run, and deletes its rehearsal. */
  stop(): void;
  readonly ended: Promise<void>;
}

/** The runs of scenarios, and the checks of real systems. A run belongs to the gateway that started it; every gateway of the estate can return it and stop it. */
export function createRuns({ store, scenarios, log }: RunsOptions) {
  const own = new Map<string, OwnRun>();
  const closing = new AbortController();

  const heads = async (): Promise<RunHead[]> => (await store.runs()).map(headOf);

  /** Leaves a later world of the same name: somebody has reset the rehearsal, or created another one. */
  async function removeRehearsal({ rehearsal, world }: Pick<RunHead, 'rehearsal' | 'world'>): Promise<void> {
    if (rehearsal !== undefined && world !== undefined) await store.remove(rehearsal, world as World);
  }

  /** The oldest runs of the estate run, the others wait. @throws the reason of an aborted signal */
  async function turnOf(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const place = (await heads()).filter(isOpen).findIndex((run) => run.id === id);
      if (place >= 0 && place < RUNS_AT_ONCE) return;
      await pause(LOOK_MS, signal);
    }
  }

  function begin(run: RunState, conducted: Conduct): void {
    const stopped = new AbortController();
    const signal = AbortSignal.any([stopped.signal, closing.signal]);
    const recording = startRecording(run, { store, log, onTaken: () => stopped.abort() });
    const renewing = setInterval(() => {
      store.renewRun(run.id, LEASE_MS).then(
        (isOurs) => isOurs || stopped.abort(),
        (error: unknown) => log.debug({ err: error, run: run.id }, 'renewing the lease of a run failed'),
      );
    }, RENEWAL_MS).unref();

    async function conduct(): Promise<string | undefined> {
      await turnOf(run.id, signal);
      recording.begin();
      return await conducted(recording.report, signal);
    }

    const ended = conduct()
      .catch(errorMessage)
      .then(async (failure) => {
        clearInterval(renewing);
        await recording.end(closing.signal.aborted ? ITS_GATEWAY_STOPPED : failure);
        if (stopped.signal.aborted) await removeRehearsal(recording.run());
      })
      .catch((error: unknown) => log.warn({ err: error, run: run.id }, 'ending a run failed'))
      .finally(() => own.delete(run.id));
    own.set(run.id, { stop: () => stopped.abort(), ended });
  }

  /** Only runs that have ended are dropped. */
  async function dropOldest(): Promise<void> {
    const all = await heads();
    const ended = all.filter((run) => !isOpen(run));
    for (const run of ended.slice(0, Math.max(0, all.length - RUNS_KEPT))) {
      if (await store.removeRun(run.id)) await removeRehearsal(run);
    }
  }

  /** Conducts a run as soon as it has its turn. @throws Problem rate_limited */
  async function accept(of: Pick<RunState, 'scenario' | 'title' | 'system'>, conducted: Conduct): Promise<RunState> {
    if ((await heads()).filter(isOpen).length >= RUNS_KEPT) throw tooMany();
    const id = newId('run', Date.now());
    const run: RunState = { id, ...of, state: 'waiting', startedAt: instant(Date.now()), steps: [], invariants: [] };
    await store.addRun(recordOf(run, 1), LEASE_MS);
    begin(run, conducted);
    await dropOldest();
    return run;
  }

  return {
    scenarios: scenarios.list,
    /** @throws Problem not_found, rate_limited */
    async start(name: string): Promise<RunState> {
      const { title } = scenarioNamed(name, await scenarios.list());
      return accept({ scenario: name, title }, (report, signal) => scenarios.run(name, report, signal));
    },
    accept,
    /** The runs, newest first. The version of a run grows with each of its records. */
    async list(): Promise<{ readonly items: readonly RunHead[]; readonly versions: ReadonlyMap<string, number> }> {
      const runs = await store.runs();
      return { items: runs.map(headOf).toReversed(), versions: new Map(runs.map(({ id, version }) => [id, version])) };
    },
    /** @throws Problem not_found */
    async read(id: string): Promise<RunState> {
      const kept = await store.run(id);
      if (!kept) throw notFound('run', id);
      return runOf(kept);
    },
    /**
     * Stops an open run, which stays in the list, or removes an ended one. Both delete its rehearsal, unless that has another world.
     * @param options.keepsEnded leaves an ended run and its rehearsal as they are @throws Problem not_found
     */
    async remove(id: string, { keepsEnded = false } = {}): Promise<void> {
      for (;;) {
        const kept = await store.run(id);
        if (!kept) throw notFound('run', id);
        const run = runOf(kept);
        if (keepsEnded && !isOpen(run)) return;
        const stopped: RunState = { ...run, state: 'stopped', endedAt: instant(Date.now()) };
        const isDone = isOpen(run) ? await store.updateRun(recordOf(stopped, kept.version + 1), undefined) : await store.removeRun(id);
        // Its gateway has recorded a step or its end.
        if (!isDone) continue;
        own.get(id)?.stop();
        await removeRehearsal(run);
        return;
      }
    },
    /** Aborts the runs of this process. */
    async stop(): Promise<void> {
      closing.abort();
      await scenarios.breakOff();
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
}

export type Runs = ReturnType<typeof createRuns>;

function scenarioNamed(name: string, all: readonly ListedScenario[]): ListedScenario {
  const found = all.find((scenario) => scenario.name === name);
  if (found) return found;
  const names = all.map((scenario) => scenario.name);
  const like = nearestWord(name, names);
  const hint = like === undefined ? '' : ` Did you mean "${like}"?`;
  throw new Problem('not_found', `There is no scenario "${name}".${hint} There are ${names.join(', ')}.`, {
    objectType: 'scenario',
    id: name,
  });
}

const tooMany = (): Problem =>
  new Problem(
    'rate_limited',
    `${RUNS_KEPT} runs wait or run already. Wait until one has ended, or stop one with DELETE /_control/runs/{id}.`,
    { retryAfter: RETRY_SECONDS },
  );
