import type { Application } from '../catalog/applications.ts';
import { nextTurn } from '../process/waiting.ts';
import { type Answered, type Endpoint, NotListening } from './endpoint.ts';
import { headersOf } from './estate-headers.ts';
import { brokenOff, type OutgoingCall, type Reply, type Transport, timedOut, unreachable } from './transport.ts';

interface InProcessTransportOptions {
  /** Called for every call: an application may start later than its callers. */
  readonly endpointOf: (application: Application) => Endpoint | undefined;
  /** Names the application in traces, as over HTTP. */
  readonly addressOf: (application: Application) => string;
  /** Authenticates calls within the estate. */
  readonly token: string;
}

/** Calls applications of the same process. The same data crosses as over HTTP: context, token, key, and JSON as text. */
export function createInProcessTransport({ endpointOf, addressOf, token }: InProcessTransportOptions): Transport {
  async function send(call: OutgoingCall): Promise<Reply> {
    const { application } = call;
    // Calls in memory need no I/O: without its own turn, a chain of them would keep other requests and timers waiting.
    await nextTurn();
    const endpoint = endpointOf(application);
    if (!endpoint) throw unreachable(application);
    const answered = await answerInTime(endpoint, call);
    if (!answered) throw brokenOff(application);
    const { answer } = answered;
    return {
      status: answer.status,
      text: answer.body.toString(),
      retryAfter: answer.retryAfter === undefined ? undefined : String(answer.retryAfter),
    };
  }

  /** A timer and a flag: an abort signal with its listeners would cost more than the rest of the call. */
  function answerInTime(endpoint: Endpoint, call: OutgoingCall): Promise<Answered | undefined> {
    const { application, method, path, body, timeoutMs } = call;
    const context = { ...call.context, chain: [...call.context.chain] };
    return new Promise((resolve, reject) => {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        reject(timedOut(application));
      }, timeoutMs);
      const headers = headersOf(call, token);
      endpoint({ method, target: path, headers, context, body: () => body, hasLeft: () => isOver })
        .finally(() => clearTimeout(timer))
        .then(resolve, (error: unknown) => reject(error instanceof NotListening ? unreachable(application) : brokenOff(application)));
    });
  }

  return { urlOf: (application, path) => `${addressOf(application)}${path}`, send };
}
