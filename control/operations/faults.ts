import { applicationNames } from '../../shared/catalog/applications.ts';
import { type ChangeName, FORBIDDEN, PERMITTED } from '../../shared/catalog/control/drift.ts';
import { faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import {
  type ChangingFault,
  type FaultInput,
  FaultName,
  isChanging,
  LONGEST_NAME,
  type Match,
  mayStrikeFrom,
  OUTSIDE,
  strikableApis,
  takesAccessToken,
} from '../../shared/catalog/control/faults.ts';
import * as declared from '../../shared/catalog/control/operations/faults.ts';
import { CARRIER } from '../../shared/catalog/control/webhooks.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { invalid, notFound, Problem, problems } from '../../shared/catalog/problems.ts';
import { changesInSteps } from '../../shared/contract/drift/drift.ts';
import { describeFault } from '../../shared/control/faults.ts';
import { stepsBreathing } from '../../shared/domain/breathe.ts';
import { isOneEditFrom } from '../../shared/domain/nearest-word.ts';
import { MOST_FAULTS } from '../../shared/store/ports/faults.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { requireKnownEvent, requireSubjectOf } from '../events/known-event.ts';
import { operate, operateOnRehearsals } from '../operate.ts';
import type { Registrations } from '../webhooks/registrations.ts';

const named = operate(declared.putFault)(
  async ({ params: { name }, body }, { world, worlds, view, webhooks, forbiddenChanges, inSlices, gone }) => {
    checkFault(body);
    const registered = await namesOf(webhooks, view, [body]);
    if (body.match.webhook !== undefined) checkWebhook(body.match.webhook, registered);
    if (isChanging(body.fault))
      checkChange(body.fault, body.match, await inSlices(gone, (breathe) => stepsBreathing(changesInSteps(body.match), breathe)));
    const json = JSON.stringify(body);
    if (!(await worlds.setFault(world, name, json))) {
      throw new Problem('too_many_faults', `A rehearsal has at most ${MOST_FAULTS} faults; delete one to set "${name}".`);
    }
    if (isChanging(body.fault)) await forbiddenChanges.note(view, name, body.fault);
    return withRegistration(registered)(describeFault({ name, json, hits: 0, struck: [] }));
  },
);

/** The name stands first in the request, so it is validated before the body. */
export const putFault: typeof named = {
  ...named,
  prepare: (sent) => {
    checkName(sent.params['name'] ?? '');
    return named.prepare(sent);
  },
};

export const listFaults = operate(declared.listFaults)(async (_input, { world, view, control, webhooks }) => {
  const faults = (await control.faults(world)).rules.map(describeFault);
  return { items: faults.map(withRegistration(await namesOf(webhooks, view, faults))) };
});

/** The names of the senders of webhooks, if faults name other senders than the carrier. */
async function namesOf(
  webhooks: Pick<Registrations, 'list'>,
  view: WorldView,
  faults: readonly Pick<FaultInput, 'match'>[],
): Promise<readonly string[]> {
  const isNeeded = faults.some(({ match: { webhook = CARRIER } }) => webhook !== CARRIER);
  return [CARRIER, ...(isNeeded ? await webhooks.list(view) : []).map(({ name }) => name)];
}

const withRegistration =
  (registered: readonly string[]) =>
  <T extends Pick<FaultInput, 'match'>>(fault: T): T & { readonly registered?: false } =>
    registered.includes(fault.match.webhook ?? CARRIER) ? fault : { ...fault, registered: false };

export const deleteFault = operate(declared.deleteFault)(async ({ params }, { world, worlds }) => {
  if (!(await worlds.removeFault(world, params.name))) throw notFound('fault', params.name);
  return null;
});

export const deleteFaults = operate(declared.deleteFaults)(async (_input, { world, worlds }) => {
  await worlds.removeFault(world);
  return null;
});

export const listFaultPresets = operateOnRehearsals(declared.listFaultPresets)(async () => ({ items: [...faultPresets] }));

/** @throws Problem validation_failed */
function checkName(name: string): void {
  if (FaultName.safeParse(name).success) return;
  const tooLong = name.length > LONGEST_NAME && `A fault’s name has at most ${LONGEST_NAME} characters, not ${name.length}.`;
  throw invalid(
    '{name}',
    'invalid_name',
    tooLong || 'A fault’s name has letters, digits, dots, hyphens and underscores, and not dots alone.',
  );
}

/** The rules for a fault that its schema cannot express. @throws Problem validation_failed */
function checkFault({ match, fault }: FaultInput): void {
  if (match.event !== undefined) {
    requireKnownEvent(match.event, '/match/event');
    if (match.subject !== undefined) requireSubjectOf(match.event, match.subject, '/match/subject');
  }
  if (match.api !== undefined) checkApi(match.api);
  const owner = strikableApis.find(({ id }) => id === match.api)?.application;
  if (match.application !== undefined && owner !== undefined && match.application !== owner) {
    throw invalid('/match/application', 'not_its_api', `${match.api} is an API of ${owner}, not of ${match.application}.`);
  }
  if (match.caller !== undefined) checkCaller(match.caller, match);
  if (fault.kind === 'expired-token') checkTokens(match);
  if (fault.kind === 'status' && fault.code !== undefined) checkCode(fault.status, fault.code);
}

/** @throws Problem validation_failed for a change that nothing about the target can have */
function checkChange({ kind, change }: ChangingFault, match: Match, possible: readonly ChangeName[]): void {
  if (possible.includes(change)) return;
  const own: readonly ChangeName[] = kind === 'permitted' ? PERMITTED : FORBIDDEN;
  const choices = possible.filter((name) => own.includes(name));
  const what = match.api ?? (match.event === undefined ? (match.application ?? `the webhook ${match.webhook}`) : nameOf(match.event));
  const remedy =
    choices.length > 0 ? `choose one of ${choices.join(', ')}` : `it has no ${kind} change, because no client gets its answers`;
  throw invalid('/fault/change', 'not_its_change', `The change "${change}" does not apply to ${what}; ${remedy}.`);
}

/** A webhook may be registered after its faults, so its name may be any but a misspelt carrier. @throws Problem validation_failed */
function checkWebhook(webhook: string, registered: readonly string[]): void {
  if (registered.includes(webhook) || !isOneEditFrom(CARRIER, webhook)) return;
  const detail = `The webhook ${webhook} does not exist; did you mean ${CARRIER}? If your webhook has this name, register it first.`;
  throw invalid('/match/webhook', 'unknown_webhook', detail);
}

function checkApi(api: string): void {
  const ids = strikableApis.map(({ id }) => id);
  if (ids.includes(api)) return;
  if (Object.hasOwn(internalCalls, api)) {
    throw invalid(
      '/match/api',
      'not_struck',
      `Only the control plane calls "${api}", so no fault applies to it; choose one of ${ids.join(', ')}.`,
    );
  }
  throw invalid('/match/api', 'unknown_api', `There is no API "${api}"; choose one of ${ids.join(', ')}.`);
}

/** @throws Problem validation_failed for a caller that makes none of the calls */
function checkCaller(caller: string, { application, api }: Match): void {
  const calls = callsOf({ application, api });
  const callersOf = (name: string): boolean => calls.some(({ id }) => mayStrikeFrom(name, id));
  if (callersOf(caller)) return;
  const callers = [OUTSIDE, ...applicationNames].filter(callersOf);
  const what = api ?? `an API of ${application}`;
  throw invalid('/match/caller', 'not_its_caller', `"${caller}" never calls ${what}; choose one of ${callers.join(', ')}.`);
}

/** @throws Problem validation_failed for a target that no client calls with an access token */
function checkTokens({ application, api }: Match): void {
  if (callsOf({ application, api }).some(takesAccessToken)) return;
  const takers = new Set(strikableApis.filter(takesAccessToken).map((one) => one.application));
  const what = api ?? `an API of ${application}`;
  throw invalid(
    '/fault/kind',
    'not_its_fault',
    `No client calls ${what} with an access token; choose another API, or an application: ${[...takers].join(', ')}.`,
  );
}

const callsOf = ({ application, api }: Pick<Match, 'application' | 'api'>) =>
  strikableApis.filter((one) => (api === undefined ? one.application === application : one.id === api));

function checkCode(status: number, code: string): void {
  const codes = Object.entries(problems).flatMap(([name, problem]) => (problem.status === status ? [name] : []));
  if (codes.includes(code)) return;
  const remedy = codes.length > 0 ? `choose one of ${codes.join(', ')}` : 'it has none, so leave the code out';
  throw invalid('/fault/code', 'unknown_code', `The status ${status} has no code "${code}"; ${remedy}.`);
}
