import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

/** Resources of test files that keep a process from ending. */
const KEEPS_A_PROCESS = ['Timeout', 'TCPSocketWrap', 'TCPServerWrap', 'ProcessWrap', 'PipeWrap', 'PipeServerWrap'];
/** Wall time for closing connections and processes to end. */
const ENDING_MS = 60_000;

/** A file that leaves a timer, a server, a connection or a process behind fails, since the run would not end. */
export default class LeavesNothing {
  global = {};
  moduleMocker = { restoreAllMocks() {} };
  getVmContext = () => null;
  #before;
  #endingMs;

  constructor({ projectConfig }) {
    this.#endingMs = projectConfig.testEnvironmentOptions.endingMs ?? ENDING_MS;
  }

  async setup() {
    // A library opens them when it reads them. They do not keep the process alive.
    void [process.stdin, process.stdout, process.stderr];
    this.#before = inUse();
  }

  async teardown() {}

  /** Jest would drop the results of the file if `teardown` threw, and a failed test is often the reason for what it leaves open. */
  async handleTestEvent({ name }, { unhandledErrors }) {
    if (name !== 'run_finish') return;
    const left = await this.#leftOpen();
    if (left.length === 0) return;
    unhandledErrors.push(new Error(`This file left open: ${left.join(', ')}${ports()}. It must end everything that it starts.`));
  }

  /** What the file has not ended in time. */
  async #leftOpen() {
    await closeFetched();
    const until = Date.now() + this.#endingMs;
    for (;;) {
      const left = inUse().filter((kind, at, all) => count(all.slice(0, at + 1), kind) > count(this.#before, kind));
      if (left.length === 0 || Date.now() > until) return left;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Ports of the open connections. Not every version of Node reports them. */
function ports() {
  const sockets = process._getActiveHandles?.().flatMap((handle) => {
    const { localPort, remotePort } = handle;
    if (remotePort !== undefined) return [`${localPort} to ${remotePort}`];
    const listening = typeof handle.address === 'function' ? handle.address()?.port : undefined;
    return listening === undefined ? [] : [`listening at ${listening}`];
  });
  return sockets?.length > 0 ? ` (ports: ${sockets.join(', ')})` : '';
}

const inUse = () => process.getActiveResourcesInfo().filter((kind) => KEEPS_A_PROCESS.includes(kind));
const count = (kinds, kind) => kinds.filter((one) => one === kind).length;

/** The connection of an unread answer stays open. All files of a process share the connections of `fetch`. */
async function closeFetched() {
  const used = getGlobalDispatcher();
  setGlobalDispatcher(new Agent());
  await used.destroy();
}
