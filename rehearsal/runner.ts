import { randomBytes } from 'node:crypto';
import type { Agent } from 'undici';
import { whyUnverified } from '../shared/catalog/control/drift.ts';
import { errorMessage } from '../shared/domain/text.ts';
import { pause } from '../shared/process/waiting.ts';
import type { OperationInput } from './call-types.ts';
import { ControlError, clientOnAgent, createEstateClient, type EstateClient, type EstateClientOptions } from './estate-client.ts';
import type { Scenario } from './scenario.ts';
import { attended, type Report, stageOf, stoppable } from './stage.ts';

export interface RunOptions extends Omit<EstateClientOptions, 'rehearsal'> {
  readonly report: Report;
  /** Stops the run before its next step. */
  readonly signal?: AbortSignal;
  /** Shared connections. The caller closes them. */
  readonly agent?: Agent;
  /** Keeps the rehearsal after the run. */
  readonly leavesRehearsal?: boolean;
  /** The seed and the start of the rehearsal. Default: ids that differ in each rehearsal, and a clock that flows from now. */
  readonly beginning?: Pick<NonNullable<OperationInput<'create-rehearsal'>['body']>, 'seed' | 'startsAt'>;
  /** Inspects the rehearsal before it is deleted, even after a failure. An exception fails the scenario. */
  readonly examine?: (rehearsal: ExaminedRehearsal) => Promise<void>;
}

interface ExaminedRehearsal {
  readonly name: string;
  readonly client: EstateClient;
  /** Why the scenario failed. Undefined: it has not. */
  readonly failure: string | undefined;
}

/** Runs one scenario in its own rehearsal, checks the invariants, and deletes it unless `leavesRehearsal`. @returns whether all hold */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<boolean> {
  const { gateway, apiKey, admin, report, signal, agent, leavesRehearsal = false, beginning } = options;
  const clientFor = (access: Pick<EstateClientOptions, 'bearer' | 'apiKey' | 'rehearsal' | 'oauthClient'>): EstateClient =>
    agent ? clientOnAgent({ gateway, admin, ...access }, agent) : createEstateClient({ gateway, admin, ...access });
  const outside = clientFor({ bearer: options.bearer, apiKey, rehearsal: 'default' });
  const startsAt = beginning?.startsAt ?? scenario.startsAt;
  const body = { ...beginning, startsAt, data: scenario.data, ...(leavesRehearsal && { name: nameAfter(scenario) }) };
  const { name, world, credentials, now } = await patiently(() => outside.control('create-rehearsal', { body }), signal);
  const { clientId, clientSecret } = credentials;
  const client = clientFor({
    bearer: credentials.bearer,
    apiKey: credentials.apiKey || apiKey,
    rehearsal: name,
    oauthClient: { id: clientId, secret: clientSecret },
  });
  report.begin(scenario, name, world);
  let failure: string | undefined;
  try {
    const { stage, requireFinished } = attended(stageOf(client, report, { ...credentials, now }));
    failure = await reasonOf(async () => {
      await scenario.run(stoppable(stage, signal));
      requireFinished();
      return brokenInvariants(client, report);
    });
    const unexamined = await reasonOf(async () => {
      await options.examine?.({ name, client, failure });
      return undefined;
    });
    failure =
      failure === undefined || unexamined === undefined ? (failure ?? unexamined) : `${failure.replace(/[.!]?$/, '.')} ${unexamined}`;
  } finally {
    const undeleted = leavesRehearsal ? undefined : await deleteRehearsal(outside, name);
    failure ??= undeleted;
    const closed = Promise.all([client.close(), outside.close()]);
    // A stopped step may wait a long time for its answer.
    if (!signal?.aborted) await closed;
  }
  report.end(scenario, failure);
  return failure === undefined;
}

/** A kept rehearsal shows what ran in it. */
const nameAfter = ({ name }: Scenario): string =>
  `${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 30)}-${randomBytes(4).toString('hex')}`.replace(/^-+/, '');

/** @returns the result of the work, or the message of its error */
const reasonOf = (work: () => Promise<string | undefined>): Promise<string | undefined> => work().catch(errorMessage);

/** @returns the reason of the failure */
async function deleteRehearsal(outside: EstateClient, name: string): Promise<string | undefined> {
  const reason = await reasonOf(async () => {
    await patiently(() => outside.control('delete-rehearsal', { params: { name } }));
    return undefined;
  });
  return reason === undefined ? undefined : `The rehearsal could not be deleted: ${reason}`;
}

/** Retries while a part of the estate is being replaced. @throws ControlError when that takes too long */
export async function patiently<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ControlError) || error.status !== 503 || attempt === PATIENCE || signal?.aborted) throw error;
      await pause(1_000, signal);
    }
  }
}
const PATIENCE = 10;

async function brokenInvariants(client: EstateClient, report: Report): Promise<string | undefined> {
  const { settled, waitingFor, invariants, forbidden } = await client.control('verify');
  report.invariants(invariants);
  // Only the steps of the scenario can show whether its client notices a forbidden fault.
  const unverified = whyUnverified(forbidden);
  if (unverified !== undefined) report.note(unverified, 'fault');
  if (!settled) return `The estate did not come to rest: ${waitingFor.join(', ')}`;
  const broken = invariants.filter(({ holds }) => !holds);
  return broken.length === 0 ? undefined : `Broken: ${broken.map(({ title }) => title).join('; ')}`;
}
