import type { ReportedObject } from '../transport/transport.ts';
import type { ApplicationParts } from './application-parts.ts';
import type { EventHandler } from './handler.ts';
import type { Answered, Delivery, JournaledJob, WithFigures } from './job.ts';
import type { RunScope } from './scope.ts';
import type { ClaimedRequest } from './steps/claim-key.ts';
import type { Step } from './steps/step.ts';

/** A request, with what runs in place of the application's handler, if anything does. */
export interface PlacedRequest extends ClaimedRequest {
  readonly instead?: (scope: RunScope) => Promise<unknown>;
}

/** An event, with the handler in place of the application's, if there is one. */
export interface PlacedDelivery extends Delivery, WithFigures {
  readonly instead?: EventHandler;
}

/** A report of a real system to keep. */
export interface ReportJob extends JournaledJob {
  readonly reported: ReportedObject;
}

/** The real systems that answer in some worlds, in place of an application or beside it. */
export interface Elsewhere {
  readonly answer: Step<ClaimedRequest, PlacedRequest, Answered>;
  readonly deliver: Step<Delivery & WithFigures, PlacedDelivery, void>;
  readonly report: (job: ReportJob) => Promise<Answered>;
}

/** Plugs real systems into an application. It is called once, for the first job that involves one. */
export type PlugElsewhere = (parts: ApplicationParts) => Promise<Elsewhere>;

type Plugged = () => Promise<Elsewhere>;

export function plugged(parts: ApplicationParts, plug: PlugElsewhere = refuse): Plugged {
  let elsewhere: Promise<Elsewhere> | undefined;
  return () => {
    elsewhere ??= plug(parts);
    return elsewhere;
  };
}

async function refuse(): Promise<never> {
  throw new Error('This process has no access to real systems.');
}

/** Passes a request through the real system, in a world that has one for the application. */
export const answerElsewhere =
  (elsewhere: Plugged): Step<ClaimedRequest, PlacedRequest, Answered> =>
  async (job, rest) =>
    job.realSystem === undefined ? rest(job) : (await elsewhere()).answer(job, rest);

/** As `answerElsewhere`, for an event. */
export const deliverElsewhere =
  (elsewhere: Plugged): Step<Delivery & WithFigures, PlacedDelivery, void> =>
  async (job, rest) =>
    job.realSystem === undefined ? rest(job) : (await elsewhere()).deliver(job, rest);
