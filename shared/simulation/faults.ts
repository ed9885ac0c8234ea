import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { applicationNames } from '../catalog/applications.ts';
import type { FaultRule, Simulation, World } from '../store/ports.ts';

/** What can be made to go wrong in an application's pipeline; `times` counts before anything is left to chance. */
export const Fault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('latency'), ms: z.int().min(1).max(60_000) }),
  z.strictObject({ kind: z.literal('status'), status: z.int().min(400).max(599), code: z.string().max(64).optional() }),
  z.strictObject({ kind: z.literal('outage') }),
  /** The handler does its work and commits; then the answer is lost: a 504, or a destroyed socket. */
  z.strictObject({ kind: z.literal('lost-response'), as: z.enum(['timeout', 'reset']).default('timeout') }),
  /** Parks requests until `parties` have arrived, then lets them go together. */
  z.strictObject({ kind: z.literal('barrier'), parties: z.int().min(2).max(1_000) }),
]);
export type Fault = z.output<typeof Fault>;

export const FaultInput = z
  .strictObject({
    match: z.strictObject({
      application: z.enum(applicationNames as [string, ...string[]]).optional(),
      api: z.string().max(80).optional(),
    }),
    fault: Fault,
    times: z.int().min(1).max(1_000_000).optional(),
  })
  .refine(({ match }) => match.application !== undefined || match.api !== undefined, {
    path: ['match'],
    message: 'Name an application or an api.',
  });
export type FaultInput = z.output<typeof FaultInput>;

export interface ActiveFault extends FaultInput {
  readonly name: string;
}

/** Fault rules as one process knows them: fetched once per world and revision. */
export function createFaultCache(simulation: Simulation) {
  const known = new Map<World, { revision: number; rules: readonly ActiveFault[] }>();
  const REMEMBERED_WORLDS = 200;

  async function rules(world: World, revision: number): Promise<readonly ActiveFault[]> {
    const cached = known.get(world);
    if (cached && cached.revision >= revision) return cached.rules;
    const fetched = await simulation.faults(world);
    const parsed = fetched.rules.map(parseRule);
    known.delete(world);
    known.set(world, { revision: fetched.revision, rules: parsed });
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_WORLDS && oldest !== undefined) known.delete(oldest);
    return parsed;
  }

  /** The faults that strike this call, in the order in which they were set; each strike is counted. Revision 0 costs nothing. */
  return async function strike(
    world: World,
    revision: number,
    target: { application: string; api: string },
  ): Promise<readonly ActiveFault[]> {
    if (revision === 0) return [];
    const struck: ActiveFault[] = [];
    for (const rule of await rules(world, revision)) {
      const { application, api } = rule.match;
      if ((application !== undefined && application !== target.application) || (api !== undefined && api !== target.api)) continue;
      if ((await simulation.hit(world, rule.name, rule.times)) !== undefined) struck.push(rule);
    }
    return struck;
  };
}

const parseRule = ({ name, json }: FaultRule): ActiveFault => ({ name, ...FaultInput.parse(JSON.parse(json)) });

/** Wall time after which a barrier gives up, visibly. */
const BARRIER_TIMEOUT_MS = 10_000;

/** @returns false when the parties did not all arrive in time, or before the process stops */
export async function waitAtBarrier(
  simulation: Simulation,
  { world, name, parties, stopping }: { world: World; name: string; parties: number; stopping: AbortSignal },
): Promise<boolean> {
  const until = Date.now() + BARRIER_TIMEOUT_MS;
  while ((await simulation.hits(world, name)) < parties) {
    if (Date.now() > until || stopping.aborted) return false;
    await pause(5, stopping);
  }
  return true;
}

/** Waits so long, in wall time, but never keeps a process that stops. */
export async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await sleep(ms, undefined, { signal: stopping }).catch(() => {});
}
