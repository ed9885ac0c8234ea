import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** About how many seconds the longest files take on two cores: for a machine that has not run them before. */
const SECONDS = {
  'lifetimes/leaving-nothing': 77,
  'flows/documents-hold': 57,
  'reliability/random-histories': 53,
  'services/returns': 42,
  'services/exchanges': 40,
  'flows/life-cycles': 31,
  'flows/oversized-json': 26,
  'start/starting': 30,
  'services/carrier-platform': 25,
  'browser/portal': 24,
  'browser/portal-all-cases': 24,
  'browser/portal-history': 24,
  'browser/portal-layout': 15,
  'services/carrier-webhooks': 24,
  'services/oms-fulfillment': 20,
  'replicas/replicas': 17,
  'services/pos-trouble': 16,
  'services/sim': 15,
  'observability/traces': 15,
  'services/products': 14,
  'services/stock-movement-conservation': 13,
  'replicas/trouble': 13,
  'flows/bad-input': 13,
  'services/ecommerce-platform': 11,
  'services/payment-hub': 10,
  'services/oms-confirm-order': 10,
  'reliability/killed-at-every-commit': 10,
  'observability/metrics': 10,
  'services/fms-inside': 10,
  'services/oms-fulfillment-crashes': 10,
  'services/fms': 9,
};
/** Estimated time of other files, in proportion to their length. */
const MS_PER_CHARACTER = 0.1;

/** Files that start their own servers. All others use the shared estate of the run. */
const ELSEWHERE = /\/tests\/(unit|ports|gateway|touchpoint|start|browser)\//;
const BY_ITSELF = /support\/(inside|crashing-estate|each-crash|mortal-applications)\.ts/;

/**
 * Starts the longest files first, so that none of them runs alone at the end. Alternates files that use the shared estate, which is
 * one process, with files that start their own servers, so that neither the estate nor a core is idle.
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
        alone: ELSEWHERE.test(test.path) || BY_ITSELF.test(text),
      };
    });
    const queues = [known.filter(({ alone }) => !alone), known.filter(({ alone }) => alone)].map(lineUp);
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
