import LeavesNothing from '../support/runner/leaving-nothing.mjs';

/** Reports to the hooks of a test whether it failed, so that they can show the page. */
export default class ReportsFailures extends LeavesNothing {
  async handleTestEvent(event, state) {
    if (event.name === 'test_start') globalThis.hasTestFailed = false;
    if (event.name === 'test_fn_failure') globalThis.hasTestFailed = true;
    await super.handleTestEvent(event, state);
  }
}
