import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS } from '../../rehearsal/estate-rehearsal.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { definitionOf } from '../../shared/contract/suites/bench.ts';
import type { Suite } from '../../shared/contract/suites/suite.ts';
import type { Recorded } from '../../ui/report/recorded.ts';
import type { Look, Progress } from '../output/table.ts';
import { startOwnEstate } from '../rehearse/own-estate.ts';
import { runOne } from '../rehearse/run-one.ts';
import { loadEstateCode } from '../start/estate-code.ts';

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'not offered';
  readonly detail?: string;
  /** Invariants whose records only the system has. */
  readonly notChecked: readonly string[];
  readonly recorded: Recorded | undefined;
}

interface SwappedOptions {
  readonly suite: Suite;
  readonly url: string;
  readonly timeoutMs: number;
  readonly headersFile: string | undefined;
  readonly events: 'post' | 'none';
  readonly lacks: ReadonlySet<string>;
  /** Port of the gateway, where the system calls back. 0: any free one. */
  readonly port: number;
  readonly look: Look;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Prints a line for each scenario as it ends. Undefined: nothing is printed. */
  readonly write: ((text: string) => void) | undefined;
}

/** Runs the scenarios of the estate with the system in place of the application. */
export async function runSwapped(options: SwappedOptions): Promise<readonly ScenarioResult[]> {
  const { suite, url, timeoutMs, headersFile, events, lacks, port, look, progress, signal, write } = options;
  const { swapVariable } = await loadEstateCode();
  const { application } = suite;
  const swap = {
    [swapVariable(application, 'URL')]: url,
    [swapVariable(application, 'TIMEOUT_MS')]: String(timeoutMs),
    [swapVariable(application, 'EVENTS')]: events,
    ...(headersFile !== undefined && { [swapVariable(application, 'HEADERS_FILE')]: headersFile }),
  };
  const estate = await startOwnEstate({ GATEWAY_PORT: String(port), ...swap });
  const results: ScenarioResult[] = [];
  try {
    for (const [index, scenario] of scenarios.entries()) {
      const { name, title } = scenario;
      const lacking = suite.scenarioNeeds[name]?.find((capability) => lacks.has(capability));
      if (lacking !== undefined) {
        const detail = `It needs ${lacking}, which the mapping lists under notOffered.`;
        results.push({ name, title, outcome: 'not offered', detail, notChecked: [], recorded: undefined });
        continue;
      }
      const shown = { look, progress, json: write === undefined, write: write ?? (() => undefined), isDetailed: false };
      const place = `${index + 1} of ${scenarios.length}  `;
      const run = { ...DEMO_CREDENTIALS, ...shown, place, against: estate.gateway, signal, recording: {}, examine: examining(options) };
      const { outcome, recorded } = await runOne({ scenario }, run);
      results.push({
        name,
        title,
        outcome: outcome.passed ? 'passed' : 'failed',
        ...(outcome.failure !== undefined && { detail: outcome.failure }),
        notChecked: outcome.invariants.filter(({ basis }) => basis === 'not-checked').map((one) => one.title),
        recorded: recorded(),
      });
    }
  } finally {
    await estate.stop();
  }
  return results;
}

/** @throws Error when the system broke the contract, even if the scenario passed, and with what answers lacked if it failed */
function examining({ suite, lacks }: Pick<SwappedOptions, 'suite' | 'lacks'>) {
  return async ({ client, failure }: { readonly client: EstateClient; readonly failure: string | undefined }): Promise<void> => {
    const { items } = await client.control('list-swaps');
    const broken = items.flatMap(({ violations }) => violations).map(({ name, api, detail }) => `${name} at ${api}: ${detail}`);
    const words = broken.length > 0 ? [`The system broke the contract. ${broken.join(' ')}`] : [];
    if (failure !== undefined) words.push(...(await answersIn(client, suite, lacks)));
    if (words.length > 0) throw new Error(words.join(' '));
  };
}

/** Sentences about the answers of the system: what they lacked, or else what it answered last. */
async function answersIn(client: EstateClient, { application, lackedBy }: Suite, lacks: ReadonlySet<string>): Promise<readonly string[]> {
  const { items } = await client.control('read-journal', { query: { limit: MOST_HOPS } });
  const answered = items.filter((hop) => hop.outside !== undefined && hop.application === application);
  const lacking = answered.flatMap(({ api, status, response }) => {
    const lacked = lackedBy?.({ status, body: response }, lacks) ?? [];
    return lacked.length === 0 ? [] : [`The answer of the system to ${nameOf(api)} (${status}) lacked ${lacked.join(', ')}.`];
  });
  const last = answered.at(-1);
  if (lacking.length > 0 || !last) return [...new Set(lacking)].slice(0, MOST_SENTENCES);
  return [`The last answer of the system: ${last.status} to ${nameOf(last.api)}.`];
}

const MOST_HOPS = 1_000;
const MOST_SENTENCES = 5;
const nameOf = (api: string): string => (api.startsWith('event:') ? api : definitionOf(api).name);
