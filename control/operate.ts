import type { ControlInput, ControlOperation, ControlOutput, StreamOperation } from '../shared/catalog/control/define-operation.ts';
import { parseBody, parseQuery } from '../shared/contract/validation.ts';
import type { EstateCall } from '../shared/control/estate-call.ts';
import type { World } from '../shared/domain/world.ts';
import type { JsonText } from '../shared/http/json-answer.ts';
import type { InSlices } from '../shared/process/slices.ts';
import type { ControlStore, Worlds } from '../shared/store/ports/estate-store.ts';
import type { WorldView } from '../shared/store/ports/rehearsals.ts';
import type { Turns } from '../shared/store/ports/turns.ts';
import type { ClockDriver } from './clock/driver.ts';
import type { DryCall, OutsideCall } from './outside-call.ts';
import type { Rehearsals } from './rehearsals/rehearsals.ts';
import type { Runs } from './runs/runs.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import type { Frame } from './stream/send-frames.ts';
import type { Streams } from './stream/streams.ts';
import type { RealSystems } from './swaps/real-systems.ts';
import type { SystemChecks } from './swaps/system-checks.ts';
import type { Topology } from './topology.ts';
import type { ForbiddenChanges } from './verify/forbidden-changes.ts';
import type { Verified } from './verify/verify.ts';
import type { EstateObjects } from './verify/world-records.ts';
import type { Registrations } from './webhooks/registrations.ts';

export interface ControlParts {
  readonly worlds: Worlds;
  readonly control: ControlStore;
  readonly rehearsals: Rehearsals;
  readonly driver: ClockDriver;
  /** Decides when changes of worlds with a seed begin. */
  readonly turns?: Turns | undefined;
  readonly callFromOutside: OutsideCall;
  readonly callDry: DryCall;
  readonly realSystems: RealSystems;
  readonly runs: Runs;
  readonly checkSystem: SystemChecks;
  readonly streams: Streams;
  readonly objects: EstateObjects;
  /** Long computations of this process, which take turns. */
  readonly inSlices: InSlices;
  readonly snapshots: Snapshots;
  /** Verifications, which all clients of this process share. */
  readonly verified: Verified;
  readonly forbiddenChanges: ForbiddenChanges;
  readonly topology: Topology;
  readonly webhooks: Registrations;
  /** Aborted when the process stops: operations that wait then answer with what they have. */
  readonly stopping: AbortSignal;
}

export interface EnteredRehearsal {
  readonly rehearsal: string;
  readonly world: World;
  readonly view: WorldView;
  /** The answer of the operation. */
  readonly correlationId: string;
  /** The permission of the real system that calls. Absent for other callers. */
  readonly estateCall?: EstateCall | undefined;
  /** The rehearsal that the credential of the request is bound to. */
  readonly bound?: string | undefined;
  /** The header of the request. */
  readonly idempotencyKey?: string | undefined;
}

/** What every operation gets. */
export interface CallParts extends ControlParts {
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
}

export type OperationScope = CallParts & EnteredRehearsal;

/** Enters the rehearsal that the request names and runs the operation there. @throws Problem unknown_rehearsal */
export type EnterRehearsal = <T>(run: (entered: EnteredRehearsal) => Promise<T>) => Promise<T>;

/** The input of a request before validation; path parameters are decoded. */
export interface SentInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** The parsed body; of a large one, its bytes. */
  readonly body: unknown;
  readonly lastEventId: string | undefined;
}

/** Answers with a stream. Resolves when it has ended. */
type SendFrames = (frames: AsyncIterable<Frame>) => Promise<void>;

export interface BoundOperation<Id extends string> {
  readonly id: Id;
  /** @returns the operation with its input, ready to run. @throws Problem validation_failed */
  readonly prepare: (sent: SentInput) => (parts: CallParts, enter: EnterRehearsal, send: SendFrames) => Promise<unknown>;
}

/** Binds an operation that runs in a rehearsal: `operate(deleteFault)(async ({ params }, { world, worlds }) => …)`. */
export const operate =
  <O extends ControlOperation>(operation: O) =>
  (run: (input: ControlInput<O>, scope: OperationScope) => Promise<ControlOutput<O>>): BoundOperation<O['id']> => ({
    id: operation.id,
    prepare: (sent) => {
      const input = parseInput(operation, sent);
      return (parts, enter) => enter((entered) => run(input, { ...parts, ...entered }));
    },
  });

/** Binds an operation that runs outside rehearsals, such as creating a rehearsal or running a scenario. */
export const operateOnRehearsals =
  <O extends ControlOperation>(operation: O) =>
  (run: (input: ControlInput<O>, parts: CallParts) => Promise<ControlOutput<O> | JsonText>): BoundOperation<O['id']> => ({
    id: operation.id,
    prepare: (sent) => {
      const input = parseInput(operation, sent);
      return (parts) => run(input, parts);
    },
  });

/** Binds an operation outside rehearsals that gets a file, whose JSON is not parsed yet. */
export const operateOnFile =
  <O extends ControlOperation>(operation: O) =>
  (
    run: (input: Pick<ControlInput<O>, 'query'> & { readonly file: Uint8Array }, parts: CallParts) => Promise<ControlOutput<O>>,
  ): BoundOperation<O['id']> => ({
    id: operation.id,
    prepare: ({ query: sent, body }) => {
      const query = parseQuery(operation.query, sent) as ControlInput<O>['query'];
      return (parts) => run({ query, file: body as Uint8Array }, parts);
    },
  });

/** Binds an operation that streams what happens in a rehearsal. A problem before the first frame is answered as a problem document. */
export const operateStream =
  <O extends StreamOperation>(operation: O) =>
  (
    run: (input: ControlInput<O> & Pick<SentInput, 'lastEventId'>, scope: OperationScope) => AsyncIterable<Frame>,
  ): BoundOperation<O['id']> => ({
    id: operation.id,
    prepare: (sent) => {
      const input = { ...parseInput(operation, sent), lastEventId: sent.lastEventId };
      return (parts, enter, send) => enter((entered) => send(run(input, { ...parts, ...entered })));
    },
  });

const parseInput = <O extends ControlOperation>({ query, request }: O, sent: SentInput): ControlInput<O> =>
  ({ params: sent.params, query: parseQuery(query, sent.query), body: parseBody(request, sent.body) }) as ControlInput<O>;
