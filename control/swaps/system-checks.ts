import type { z } from 'zod';
import { applications } from '../../shared/catalog/applications.ts';
import type { ControlInput } from '../../shared/catalog/control/define-operation.ts';
import type { checkSystem } from '../../shared/catalog/control/operations/swaps.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { parseBody } from '../../shared/contract/validation.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { CheckResult } from '../../shared/elsewhere/conform/checks.ts';
import type { SystemOptions } from '../../shared/elsewhere/conform/system.ts';
import type { Outbound } from '../../shared/http/outbound.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { Runs } from '../runs/runs.ts';
import type { Conduct, RunState } from '../runs/scenario-runner.ts';
import { requirePermitted, swapsOf } from './swaps.ts';

/** Wall time of all checks of a system. */
const MOST_MS: Ms = 300_000;

interface SystemChecksOptions {
  /** Addresses that a request gives. */
  readonly checked: Outbound;
  /** Addresses from the variables of the estate. */
  readonly trusted: Outbound;
  readonly runs: Pick<Runs, 'accept'>;
}

type Requested = ControlInput<typeof checkSystem>['body'];
interface CheckedWorld {
  readonly worlds: Pick<ObjectReader, 'object'>;
  readonly world: World;
}

export type SystemChecks = ReturnType<typeof createSystemChecks>;

/** Checks real systems as `estate conform` does. Its code is loaded with the first check. */
export function createSystemChecks({ checked, trusted, runs }: SystemChecksOptions) {
  /** @throws Problem not_swapped, outbound_refused */
  async function systemOf({ application, url, headers, timeoutMs }: Requested, { worlds, world }: CheckedWorld) {
    if (url !== undefined) {
      await requirePermitted(checked, '/url', url);
      return { url, headers, timeoutMs, isDefault: false };
    }
    const [, swap] = (await swapsOf(worlds, world)).find(([name]) => name === application) ?? [];
    if (swap?.url !== undefined) return { ...swap, url: swap.url, headers: { ...swap.headers, ...headers } };
    throw new Problem('not_swapped', `This rehearsal has no address of a real ${application}: send its "url".`, { application });
  }

  /** Begins to check a system. @throws Problem validation_failed, not_swapped, outbound_refused, rate_limited */
  return async (requested: Requested, at: CheckedWorld): Promise<RunState> => {
    const [{ suites }, { mappingFrom, mappingShape }] = await Promise.all([
      import('../../shared/contract/suites/suites.ts'),
      import('../../shared/elsewhere/conform/mapping.ts'),
    ]);
    const { application, currency, ids, states, notOffered } = requested;
    const suite = suites.find((one) => one.application === application);
    if (!suite) {
      const names = suites.map((one) => one.application).join(', ');
      throw invalid('/application', 'no_checks', `There are no checks for ${application}, only for ${names}. Compare it in the shadow.`);
    }
    const shape = mappingShape(suite);
    const mapping = mappingFrom(suite, parseBody(shape, { currency, ids, states, notOffered }) as z.output<typeof shape>);
    const system = await systemOf(requested, at);
    const { url } = system;
    const conduct: Conduct = async (report, signal) => {
      const [{ checkCalls }, { requireAnswer }, { checksIn, failureOf }, { createCallOutside }, { NoAnswer }, { obligationOf }] =
        await Promise.all([
          import('../../shared/elsewhere/conform/checks.ts'),
          import('../../shared/elsewhere/conform/system.ts'),
          import('../../shared/elsewhere/conform/verdict.ts'),
          import('../../shared/elsewhere/swap/outside-call.ts'),
          import('../../shared/contract/suites/bench.ts'),
          import('../../shared/contract/openapi/application-contract.ts'),
        ]);
      const calling: SystemOptions = { system, callOutside: createCallOutside({ checked, trusted }) };
      const inTime = AbortSignal.timeout(MOST_MS);
      try {
        await requireAnswer(calling);
        const results = await checkCalls({
          ...{ suite, ...mapping, ...calling },
          onResult: (api, result) => report.check(factsOf(api, obligationOf(api), result)),
          onCall: (call) => {
            if (call.offer !== 'offered') for (const one of checksIn(call)) report.check(factsOf(call.api, call.obligation, one));
          },
          signal: AbortSignal.any([signal, inTime]),
        });
        return failureOf(results);
      } catch (error) {
        if (error instanceof NoAnswer) return `No system answers at ${url}. ${error.message} Start it, or correct its address.`;
        if (error === inTime.reason)
          return `The checks took more than ${MOST_MS / 60_000} minutes. Choose a shorter time limit of answers.`;
        throw error;
      }
    };
    return runs.accept(
      { scenario: `conform-${application}`, title: `${applications[application].title} at ${url}`, system: { application, url } },
      conduct,
    );
  };
}

const factsOf = ({ id, application }: ApiDefinition, obligation: 'must' | 'may', { title, outcome, detail, calls, ms }: CheckResult) => ({
  ...{ title, api: id, application, obligation, outcome, detail, ms },
  call: calls.at(-1)?.call,
  status: calls.at(-1)?.status,
});
