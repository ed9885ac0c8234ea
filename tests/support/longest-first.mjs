import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** About how many seconds the longest files take on two cores: for a machine that has not run them before. */
const SECONDS = {
  'processes/command-line/operations': 63,
  'processes/leaving-nothing': 62,
  'browser/console': 54,
  'browser/console-objects': 44,
  'processes/starting': 44,
  'browser/console-events': 39,
  'browser/console-rehearsals': 34,
  'flows/life-cycles': 29,
  'flows/idempotency': 29,
  'services/wms': 28,
  'browser/console-reference': 27,
  'processes/documented-commands': 27,
  'flows/documents-hold': 27,
  'services/returns-crashes': 24,
  'browser/console-faults': 24,
  'services/returns': 24,
  'processes/command-line/machine': 22,
  'ports/memory-store': 20,
  'flows/oversized-json': 20,
  'browser/portal-history': 20,
  'browser/console-flows': 18,
  'services/carrier-platform': 18,
  'browser/console-overview': 18,
  'processes/command-line/rehearse': 16,
  'services/exchanges': 15,
  'reliability/random-histories': 14,
  'services/order-holds': 13,
  'browser/console-stock': 13,
  'services/repeats-with-other-content': 13,
  'processes/command-line/reports': 13,
  'browser/portal': 13,
  'browser/console-trace': 13,
  'services/carrier-webhooks': 12,
  'browser/portal-layout': 11,
  'services/ecommerce-platform': 11,
  'services/oms-fulfillment': 10,
  'services/oms-confirm-order': 10,
  'flows/event-faults': 10,
  'services/oms-crashes': 10,
  'reliability/killed-at-every-commit': 10,
  'redis/replicas/replicas': 10,
  'observability/traces': 10,
  'services/stock-crashes': 10,
  'redis/cluster': 9,
  'browser/console-walk': 9,
  'services/stock-conservation': 9,
  'services/payment-hub': 8,
  'redis/histories': 8,
};
/** Estimated time of other files, in proportion to their length. */
const MS_PER_CHARACTER = 0.1;

/** Files that start their own servers. All others use the shared estate of the run, and some of these a browser. */
const IN_BROWSER = /\/tests\/browser\//;
const ELSEWHERE = /\/tests\/(unit|ports|redis|gateway|touchpoint|processes)\//;
const BY_ITSELF = /support\/(inside|crashing-estate|each-crash|mortal-applications)\.ts/;

/**
 * Starts the longest files first, so that none of them runs alone at the end. Alternates files that use the shared estate, which is
 * one process, files that start their own servers, and files with a browser, so that neither the estate nor a core is idle and browsers
 * do not wait for each other.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const known = tests.map((test) => {
      const text = readFileSync(test.path, 'utf8');
      const name = /\/tests\/(.*)\.test\.ts$/.exec(test.path)?.[1] ?? '';
      test.duration = this.time(test);
      return {
        test,
        failed: this.hasFailed(test),
        ms: test.duration ?? ((SECONDS[name] ?? 0) * 1_000 || text.length * MS_PER_CHARACTER),
        queue: IN_BROWSER.test(test.path) ? 'browser' : ELSEWHERE.test(test.path) || BY_ITSELF.test(text) ? 'alone' : 'shared',
      };
    });
    const queues = ['shared', 'alone', 'browser'].map((name) => lineUp(known.filter(({ queue }) => queue === name)));
    const order = [];
    for (;;) {
      // Whose next file begins earliest, if each queue is spread over the whole run.
      const [next] = queues.filter(({ files }) => files.length > 0).sort((a, b) => a.done / a.total - b.done / b.total);
      if (!next) break;
      const file = next.files.shift();
      next.done += file.ms;
      order.push(file);
    }
    return order.sort((a, b) => Number(b.failed) - Number(a.failed)).map(({ test }) => test);
  }
}

function lineUp(files) {
  return { files: files.sort((a, b) => b.ms - a.ms), done: 0, total: files.reduce((sum, { ms }) => sum + ms, 1) };
}
