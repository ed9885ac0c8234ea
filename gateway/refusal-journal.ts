import type { ApiDefinition } from '../shared/catalog/define.ts';
import type { Problem } from '../shared/catalog/problems.ts';
import { type Journal, journalHop } from '../shared/simulation/journal.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import type { RequestIds } from './edge-context.ts';

export interface JournaledRefusal {
  readonly problem: Problem;
  readonly ids: RequestIds;
  readonly api: ApiDefinition;
  readonly view: WorldView;
  readonly principal: string;
  readonly method: string;
  readonly url: string;
  /** Of `performance.now()`. */
  readonly started: number;
}

/** Applications journal what they answer; only what never reached one, or came back without an answer, is the gateway's to tell. */
export function recordRefusal(journal: Journal, { problem, ids, api, view, principal, method, url, started }: JournaledRefusal): void {
  journalHop(journal, {
    ids,
    world: view.world,
    now: view.now,
    principal,
    application: 'gateway',
    api: api.id,
    method,
    path: url,
    status: problem.status,
    ms: performance.now() - started,
    response: JSON.stringify(problem.body(url.split('?')[0] ?? '')),
  });
}
