import type { ApiDefinition } from '../shared/catalog/define.ts';
import type { Problem } from '../shared/catalog/problems.ts';
import { instant } from '../shared/simulation/context.ts';
import type { JournalRecord } from '../shared/simulation/journal.ts';
import type { Simulation, WorldView } from '../shared/store/ports.ts';
import type { RequestIds } from './edge-context.ts';

export interface JournaledRefusal {
  readonly problem: Problem;
  readonly ids: RequestIds;
  readonly api: ApiDefinition;
  readonly view: WorldView;
  readonly method: string;
  readonly url: string;
  /** Of `performance.now()`. */
  readonly started: number;
}

/** Applications journal what they answer; only what never reached one, or came back without an answer, is the gateway's to tell. */
export function recordRefusal(simulation: Simulation, { problem, ids, api, view, method, url, started }: JournaledRefusal): void {
  const record: JournalRecord = {
    ...ids,
    application: 'gateway',
    api: api.id,
    method,
    path: url,
    status: problem.status,
    at: instant(view.now),
    durationMs: Math.round((performance.now() - started) * 100) / 100,
    calls: [],
    faults: [],
    response: problem.body(url.split('?')[0] ?? ''),
  };
  simulation.journal(view.world, { ...ids, json: JSON.stringify(record) });
}
