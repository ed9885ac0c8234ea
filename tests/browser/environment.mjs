import LeavesNothing from '../support/runner/leaving-nothing.mjs';

/** Tells the hooks of a test whether it failed, so that they can show what the page looked like. */
export default class TellsFailures extends LeavesNothing {
  handleTestEvent({ name }) {
    if (name === 'test_start') globalThis.hasTestFailed = false;
    if (name === 'test_fn_failure') globalThis.hasTestFailed = true;
  }
}
