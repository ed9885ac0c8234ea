import type { Mutant } from './mutant.ts';

export const dryRun: readonly Mutant[] = [
  {
    name: 'A commit of a dry run is stored',
    file: 'shared/work/unit/commit.ts',
    from: 'context.dryRun ? STORED_NOTHING : await store.commit(context.world, plan)',
    to: 'await store.commit(context.world, plan)',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run takes its idempotency key',
    file: 'shared/work/pipeline.ts',
    from: '.step(openDryUnit)',
    to: '.step(claimKey(parts))\n    .step(followUp(parts, runBeforeReply))',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run is journaled',
    file: 'shared/work/pipeline.ts',
    from: '    .step(observeRequest(parts))\n    .step(answerProblems(parts))\n    .step(addFigures(parts))\n',
    to: '    .step(recordHop(parts))\n    .step(observeRequest(parts))\n    .step(answerProblems(parts))\n    .step(addFigures(parts))\n',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run uses up a fault',
    file: 'shared/work/pipeline.ts',
    from: '.step(refuseIfSwapped(parts))',
    to: '.step(refuseIfSwapped(parts))\n    .step(applyFaults(parts))',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run takes a number of a rehearsal with a seed',
    file: 'gateway/steps/answer.ts',
    from: 'if (view.seed === undefined || isDryRun)',
    to: 'if (view.seed === undefined)',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A call of a dry run to another application is real',
    file: 'shared/transport/estate-headers.ts',
    from: '  dryRun: z.literal(true).optional(),\n',
    to: '',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run continues behind a call that would change something',
    file: 'shared/work/steps/dry-run.ts',
    from: 'if (answer === undefined || !(unchanged || options.isSeparate || this.#isRefused))',
    to: 'if (answer === undefined)',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run answers for a real system',
    file: 'shared/work/steps/dry-run.ts',
    from: "if (job.realSystem !== 'instead') return rest(job);",
    to: 'if (job.figures) return rest(job);',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run logs what fails in it',
    file: 'shared/work/scope.ts',
    from: '    if (this.context.dryRun) return SILENT;\n',
    to: '',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
  {
    name: 'A dry run behind a thousand other parameters is a real call',
    file: 'shared/http/query.ts',
    from: '{ maxKeys: 0 }',
    to: '{}',
    killedBy: ['tests/flows/dry-run.test.ts'],
  },
];
