import type { World } from '../domain/world.ts';
import type { Answer } from '../transport/answer.ts';
import { createParts, type PipelineOptions } from './application-parts.ts';
import { answerElsewhere, deliverElsewhere, type PlugElsewhere, plugged, type ReportJob } from './elsewhere.ts';
import type { Answered, ApiRequest, Delivery, JournaledJob, LeasedItem } from './job.ts';
import { addFigures } from './steps/add-figures.ts';
import { answerRequest } from './steps/answer.ts';
import { answerProblems } from './steps/answer-problems.ts';
import { applyFaults } from './steps/apply-faults.ts';
import { changeAnswer } from './steps/change-answer.ts';
import { claimKey } from './steps/claim-key.ts';
import { answerDryRun, openDryUnit, refuseIfSwapped, tryOtherTypes } from './steps/dry-run.ts';
import { followUp } from './steps/follow-up.ts';
import { countWork, observeDelivery, observeDueRequest, observeRequest, recordHop, traceItem } from './steps/observe.ts';
import { acceptOtherTypes, parseBody, validateInput, verifySignature } from './steps/read-input.ts';
import { rerunOnConflict, rerunUntilLost } from './steps/rerun-on-conflict.ts';
import { consumeEvent, fenceDelivery, fenceItem, runEventWork, runItem } from './steps/run-work.ts';
import { steps } from './steps/step.ts';

const DONE: Answer = { status: 200, body: '{"done":true}', contentType: 'application/json; charset=utf-8' };

/**
 * The steps of each kind of work of one application, in their order. The outer steps record, count and answer. The inner steps hold the lease
 * that the handler's commits depend on. Work that begins inside another job is not a separate hop and enters at a later step: redelivery at
 * `consume`, due work before a reply at `run`.
 */
export function createPipeline(options: PipelineOptions, plug?: PlugElsewhere) {
  const parts = createParts(options);
  const elsewhere = plugged(parts, plug);

  const request = steps<ApiRequest, Answered>()
    .step(recordHop(parts))
    .step(observeRequest(parts))
    .step(changeAnswer(parts))
    .step(answerProblems(parts))
    .step(applyFaults(parts))
    .step(addFigures(parts))
    .step(parseBody)
    .step(verifySignature(parts))
    .step(acceptOtherTypes)
    .step(validateInput)
    .step(claimKey(parts))
    .step(answerElsewhere(elsewhere))
    .step(followUp(parts, runBeforeReply))
    .step(rerunOnConflict(parts))
    .end(answerRequest(parts));

  // Nothing is journaled, claimed, forwarded, struck by a fault, or run afterwards.
  const dryRun = steps<ApiRequest, Answered>()
    .step(observeRequest(parts))
    .step(answerProblems(parts))
    .step(addFigures(parts))
    .step(refuseIfSwapped(parts))
    .step(parseBody)
    .step(verifySignature(parts))
    .step(tryOtherTypes)
    .step(validateInput)
    .step(openDryUnit)
    .step(rerunOnConflict(parts))
    .end(answerDryRun(parts));

  const consume = steps<Delivery, void>()
    .step(addFigures(parts))
    .step(deliverElsewhere(elsewhere))
    .step(fenceDelivery(parts))
    .step(followUp(parts, runBeforeReply))
    .step(rerunUntilLost(parts, { whenLost: 'The event was consumed before.' }))
    .end(consumeEvent(parts));

  const event = steps<Delivery & JournaledJob, Answered>()
    .step(recordHop(parts))
    .step(observeDelivery(parts))
    .end((delivery) => consume(delivery).then(() => DONE));

  const run = steps<LeasedItem, void>()
    .step(countWork(parts))
    .step(runEventWork(parts, consume))
    .step(addFigures(parts))
    .step(fenceItem(parts))
    .step(traceItem(parts))
    .step(followUp(parts, runBeforeReply))
    .step(rerunUntilLost(parts))
    .end(runItem(parts));

  const due = steps<LeasedItem & JournaledJob, Answered>()
    .step(recordHop(parts))
    .step(observeDueRequest(parts))
    .step(answerProblems(parts))
    .end((item) => run(item).then(() => DONE));

  const report = async (job: ReportJob): Promise<Answered> => (await elsewhere()).report(job);

  function runBeforeReply(item: LeasedItem): Promise<void> {
    return run(item);
  }

  /** Whether a real system replaces the application in a world. */
  const isSwapped = async (world: World): Promise<boolean> => (await parts.figuresOf(world)).realSystem === 'instead';

  return { request, dryRun, event, consume, due, report, isSwapped };
}

export type Pipeline = ReturnType<typeof createPipeline>;
