import LeavesNothing from '../support/runner/leaving-nothing.mjs';

/** Reports to the hooks of a test whether it failed, so that they can show the page. */
export default class ReportsFailures extends LeavesNothing {
  handleTestEvent({ name }) {
    if (name === 'test_start') globalThis.hasTestFailed = false;
    if (name === 'test_fn_failure') globalThis.hasTestFailed = true;
  }
}
