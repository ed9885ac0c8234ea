import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isRead } from '../http/json-answer.ts';
import { endAnyhow } from '../http/last-resort.ts';
import { ClientGone, readBody } from '../http/request-body.ts';
import type { ReadinessAnswer } from '../process/readiness.ts';
import { headersOfAnswer } from '../transport/answer.ts';
import type { Answered } from '../transport/endpoint.ts';
import type { Dispatch } from './dispatch.ts';

export interface HttpFaceOptions {
  readonly dispatch: Dispatch;
  readonly readiness: () => ReadinessAnswer;
  /** Answers `GET /metrics`. Without it, that path is 404. */
  readonly metrics?: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
}

/** The HTTP interface of an application: health, metrics, and the requests that it dispatches. */
export function createHttpFace({ dispatch, readiness, metrics }: HttpFaceOptions): RequestListener {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '', headers } = request;
    if (isRead(request)) {
      const [path] = target.split('?', 1);
      if (path === '/healthz') return sendHealth(response, { status: 200, body: { status: 'ok' } });
      if (path === '/readyz') return sendHealth(response, readiness());
      if (path === '/metrics' && metrics) return metrics(request, response);
    }
    const answered = await dispatch({
      method,
      target,
      headers,
      body: () => readBody(request, response),
      hasLeft: () => response.destroyed && !response.writableFinished,
    });
    if (response.destroyed) return;
    if (answered) send(response, answered);
    else request.socket.destroy();
  }

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!(error instanceof ClientGone)) endAnyhow(response);
    });
  };
}

function sendHealth(response: ServerResponse, { status, body }: { readonly status: number; readonly body: object }): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
}

function send(response: ServerResponse, { ids, answer }: Answered): void {
  response.writeHead(answer.status, headersOfAnswer(answer, ids));
  response.end(answer.status === 204 ? undefined : answer.body);
}
