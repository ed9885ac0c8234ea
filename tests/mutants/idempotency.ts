import type { Mutant } from './mutant.ts';

export const idempotency: readonly Mutant[] = [
  {
    name: 'The key of a request at one path is the key at every path',
    file: 'shared/work/steps/claim-key.ts',
    from: 'digest(caller, bound.api.method, job.path, idempotencyKey)',
    to: 'digest(caller, bound.api.method, idempotencyKey)',
    killedBy: ['tests/flows/idempotency.test.ts'],
  },
  {
    name: 'Two callers share their keys',
    file: 'shared/work/steps/claim-key.ts',
    from: 'digest(caller, bound.api.method, job.path, idempotencyKey)',
    to: 'digest(bound.api.method, job.path, idempotencyKey)',
    killedBy: ['tests/flows/idempotency.test.ts'],
  },
  {
    name: 'The body is left out of the fingerprint of a request',
    file: 'shared/work/steps/claim-key.ts',
    from: '{ query: input.query, body: input.body ?? null }',
    to: '{ query: input.query }',
    killedBy: ['tests/flows/idempotency.test.ts'],
  },
  {
    name: 'A temporary failure is stored as the answer to every repeat',
    file: 'shared/work/steps/answer.ts',
    from: '[402, 409, 422].includes(problem.status) && !problem.retryable',
    to: '[402, 409, 422, 503].includes(problem.status)',
    killedBy: ['tests/services/inventory-service.test.ts'],
  },
  {
    name: 'A failed request keeps its key until the lease ends',
    file: 'shared/work/steps/claim-key.ts',
    from: "await ifPossible(log, 'giving back an idempotency key', () => store.release(world, key, token));",
    to: '',
    killedBy: ['tests/flows/idempotency.test.ts'],
  },
  {
    name: 'A stored answer is given for another body',
    file: 'shared/store/memory/commit.ts',
    from: "return found.fingerprint === ask.fingerprint ? { is: 'done', json: found.done.json } : { is: 'other-body' };",
    to: "return { is: 'done', json: found.done.json };",
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'A jump of the clock forgets the key of a recent request',
    file: 'shared/store/memory/commit.ts',
    from: 'if (found?.done && (ask.now < found.done.keepUntil || isRecent(found))) {',
    to: 'if (found?.done && ask.now < found.done.keepUntil) {',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'The step is left out of the key of a call between applications',
    file: 'shared/transport/caller.ts',
    from: 'digest(parent(), api.id, path, step)',
    to: 'digest(parent(), api.id, path)',
    killedBy: ['tests/unit/caller.test.ts'],
  },
];
