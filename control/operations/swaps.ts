import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import * as declared from '../../shared/catalog/control/operations/swaps.ts';
import { isMutating } from '../../shared/catalog/define.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { SwappableApplication } from '../../shared/catalog/swap.ts';
import { openMembers, parseBody } from '../../shared/contract/validation.ts';
import type { EstateCall } from '../../shared/control/estate-call.ts';
import { withoutSecrets } from '../../shared/elsewhere/swap/echoed-headers.ts';
import { pause } from '../../shared/process/waiting.ts';
import { listedType } from '../objects/types.ts';
import { type OperationScope, operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { readAnswers as answersOf, describeSwaps, readFidelity as fidelityOf, swappedIn, swapsOf } from '../swaps/swaps.ts';

/** The real system of a swapped application calls another application. A tester may make the call for it. */
export const makeCall = operate(declared.makeCall)(async ({ params: { id }, body }, scope) => {
  const estateCall = scope.estateCall ?? callOfTester(body.application, scope);
  await refuseUnswapped(scope, estateCall.application, id);
  return scope.realSystems.call({ ...scope, estateCall }, id, body);
});

/** @throws Problem validation_failed */
function callOfTester(application: SwappableApplication | undefined, { view }: OperationScope): EstateCall {
  if (application) return { application, rehearsal: view.rehearsal, bearer: view.credentials.bearer };
  throw invalid('/application', 'no_caller', 'Send X-Estate-Call, or name the application whose real system makes the call.');
}

/** In the mode shadow, a real system may only read. @throws Problem not_swapped, forbidden */
async function refuseUnswapped({ worlds, world }: OperationScope, application: Application, id: string): Promise<void> {
  const swap = (await swapsOf(worlds, world)).find(([name]) => name === application)?.[1];
  if (!swap) throw new Problem('not_swapped', `The ${application} is not swapped in this rehearsal.`, { application });
  const api = [...Object.values(apis), ...Object.values(internalCalls)].find((one) => one.id === id);
  if (swap.mode !== 'shadow' || !api || !isMutating(api)) return;
  throw new Problem('forbidden', `The real ${application} has the mode shadow, so it may only read, but ${id} changes something.`);
}

export const reportChange = operate(declared.reportChange)(async ({ body: { object: type, data } }, scope) => {
  const { worlds, world, realSystems, estateCall } = scope;
  const definition = objects.find((one) => one.type === type);
  if (!definition) throw invalid('/object', 'unknown_type', 'This is not a type of object.');
  const { owner, schema } = definition;
  if (estateCall && estateCall.application !== owner) {
    throw new Problem('forbidden', `The ${type} belongs to ${owner}, and you are the real ${estateCall.application}.`);
  }
  const swap = (await swapsOf(worlds, world)).find(([name, { mode }]) => name === owner && mode !== 'shadow')?.[1];
  if (!swap) {
    throw new Problem('not_swapped', `The ${type} belongs to ${owner}, which is not swapped in this rehearsal.`, { application: owner });
  }
  // A real system may have more members than the estate.
  const open = openMembers(schema, data);
  const checked = parseBody(z.object({ data: schema }), { data: open.data ?? data }) as { readonly data: ReportedData };
  await refuseUnknownOrder(scope, type, checked.data);
  // The owner refuses the censored text. No record of the control plane contains the secret itself.
  const censored: unknown = JSON.parse((await withoutSecrets(Buffer.from(JSON.stringify(checked.data)), swap)).toString());
  return realSystems.report(scope, owner, { type, data: censored });
});

interface ReportedData {
  readonly id: string;
  readonly orderId?: string;
}

/** An object that is new to the estate belongs to an order of this rehearsal. @throws Problem validation_failed */
async function refuseUnknownOrder(
  { worlds, world, objects: kept }: OperationScope,
  type: string,
  { id, orderId }: ReportedData,
): Promise<void> {
  if (orderId === undefined) return;
  // A till stores the order of a sale before the OMS does, and the estate cannot read a real till.
  if ((await swappedIn(worlds, world)).includes('pos')) return;
  const [own, order] = [listedType(kept, type), listedType(kept, 'order')];
  const found = await Promise.all([
    worlds.object(world, own.application, own.collection, id),
    worlds.object(world, order.application, order.collection, orderId),
    worlds.object(world, 'pos', 'transactions', orderId),
  ]);
  if (found.some((one) => one !== undefined)) return;
  throw invalid('/data/orderId', 'not_found', 'The order is unknown in this rehearsal. Report the object once its order exists.');
}

export const checkSystem = operate(declared.checkSystem)(({ body }, scope) => scope.checkSystem(body, scope));

export const listSwaps = operate(declared.listSwaps)(async (_input, { world, worlds }) => ({ items: await describeSwaps(worlds, world) }));

export const readAnswers = operate(declared.readAnswers)(async ({ params }, { world, worlds }) => ({
  answers: await answersOf(worlds, world, params.application),
}));

/** Wall time between two reads of unfinished comparisons. */
const LOOK_MS = 50;

export const readFidelity = operate(declared.readFidelity)(async ({ query: { timeoutMs } }, { world, worlds, gone }) => {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const items = await fidelityOf(worlds, world);
    await requireCurrent(worlds, world);
    if (items.every(({ waiting }) => waiting === 0) || Date.now() >= until || gone.aborted) return { items };
    await pause(LOOK_MS, gone);
  }
});
