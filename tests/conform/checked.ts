import { showCalls } from '../../command-line/conform/result.ts';
import { lookOf } from '../../command-line/output/table.ts';
import type { Suite } from '../../shared/contract/suites/suite.ts';
import { type ConformOptions, checkCalls, type Outcome } from '../../shared/elsewhere/conform/checks.ts';
import { systemOf } from '../../shared/elsewhere/conform/system.ts';
import { fits } from '../../shared/elsewhere/conform/verdict.ts';
import { Agent } from '../../shared/process/http-client.ts';

/** Checks a system. @returns the checks by outcome: their names, and lines `<call> <check>: <detail>` */
export async function checked(
  suite: Suite,
  url: string,
  { timeoutMs = 5_000, ...more }: Partial<ConformOptions> & { readonly timeoutMs?: number } = {},
) {
  const agent = new Agent();
  const ids = Object.fromEntries(Object.entries(suite.ids).map(([name, { value }]) => [name, value]));
  const rest = { currency: 'EUR', lacks: new Set<string>(), states: {} };
  try {
    const results = await checkCalls({ suite, ...systemOf(agent, { url, headers: {}, timeoutMs }), ids, ...rest, ...more });
    const checks = results.flatMap(({ api, checks }) => checks.map((one) => ({ call: api.id, ...one })));
    return {
      names: (wanted: Outcome): string[] => [...new Set(checks.flatMap(({ outcome, check }) => (outcome === wanted ? [check] : [])))],
      lines: (...wanted: readonly Outcome[]): string[] =>
        checks.flatMap(({ call, check, outcome, detail }) => (wanted.includes(outcome) ? [`${call} ${check}: ${detail}`] : [])),
      /** As the command prints them. */
      shown: showCalls(results, lookOf(process.stdout)),
      /** Ids of calls that do not fit. */
      deviating: results.filter((one) => !fits(one)).map(({ api }) => api.id),
      missing: results.flatMap(({ api, offer }) => (offer === 'offered' ? [] : [api.id])),
    };
  } finally {
    await agent.close();
  }
}
