import type { Agent, Dispatcher } from 'undici';
import type { Application } from '../catalog/applications.ts';
import type { Problem } from '../catalog/problems.ts';
import { didNotConnect } from '../process/connection-trouble.ts';
import { CONTEXT_HEADER, encodeContext, headersOf } from './estate-headers.ts';
import { brokenOff, type OutgoingCall, type Reply, type Transport, timedOut, unreachable } from './transport.ts';

interface HttpTransportOptions {
  /** Called for every call: ports are known only after all applications have started. */
  readonly addressOf: (application: Application) => string;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly agent: Agent;
}

/** Calls over HTTP, on kept connections. */
export function createHttpTransport({ addressOf, token, agent }: HttpTransportOptions): Transport {
  const targets = new Map<string, Target>();

  function targetOf(application: Application): Target {
    const address = addressOf(application);
    const known = targets.get(address);
    if (known) return known;
    const { origin, pathname } = new URL(address);
    const target = { origin, prefix: pathname.replace(/\/$/, '') };
    targets.set(address, target);
    return target;
  }

  function send(call: OutgoingCall): Promise<Reply> {
    const { application, method, path, body = null } = call;
    const { origin, prefix } = targetOf(application);
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(call, resolve, reject);
      const headers = { ...headersOf(call, token), [CONTEXT_HEADER]: encodeContext(call.context) };
      agent.dispatch({ origin, path: prefix + path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    });
  }

  return { urlOf: (application, path) => `${addressOf(application)}${path}`, send };
}

/** An address of an application, in the parts that the client takes. */
interface Target {
  readonly origin: string;
  readonly prefix: string;
}

/**
 * A call in progress. It collects the whole answer, which is short: a stream and an abort signal would cost more than the rest of the call.
 * Its timer takes the place of the client's own ones.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #application: Application;
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (problem: Problem) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isLate = false;
  #status = 0;
  #retryAfter: string | undefined;

  constructor({ application, timeoutMs }: OutgoingCall, resolve: (reply: Reply) => void, reject: (problem: Problem) => void) {
    this.#application = application;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#giveUp(), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection until its time was over.
    if (this.#isLate) controller.abort(new Error('It is too late.'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, { 'retry-after': retryAfter }: Headers): void {
    this.#status = status;
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    const [first, ...others] = this.#chunks;
    const text = others.length === 0 ? (first?.toString() ?? '') : Buffer.concat(this.#chunks).toString();
    this.#resolve({ status: this.#status, text, retryAfter: this.#retryAfter });
  }

  /** Without a connection nothing was done. After any other failure the work may be done, and only the answer is missing. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(didNotConnect(error) ? unreachable(this.#application) : brokenOff(this.#application));
  }

  #giveUp(): void {
    this.#isLate = true;
    this.#reject(timedOut(this.#application));
    this.#controller?.abort(new Error('It is too late.'));
  }
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];
