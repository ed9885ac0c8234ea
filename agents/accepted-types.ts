import { eventsOf } from '../rehearsal/event-stream.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const BOTH = `${JSON_TYPE}, ${STREAM_TYPE}`;

/** What a client accepts of the two types of the protocol. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Reads `Accept`. Without it, a client accepts everything. */
export function acceptedIn(accept = '*/*'): Accepted {
  const types = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '');
  const accepts = (type: string): boolean => types.some((one) => ['*/*', type, `${type.split('/')[0]}/*`].includes(one));
  return { json: accepts(JSON_TYPE), stream: accepts(STREAM_TYPE) };
}

/** The header that the library requires: it refuses clients that do not name both types. */
export const headerFor = ({ json, stream }: Accepted, accept: string | undefined): string | undefined => (json || stream ? BOTH : accept);

/** The answer in a type that the client accepts. */
export async function inAcceptedType(answer: Response, { json, stream }: Accepted): Promise<Response> {
  const type = answer.headers.get('content-type') ?? '';
  if (!json && stream && type.startsWith(JSON_TYPE) && answer.ok)
    return asType(answer, STREAM_TYPE, `event: message\ndata: ${await answer.text()}\n\n`);
  if (json && !stream && type.startsWith(STREAM_TYPE) && answer.body) return asType(answer, JSON_TYPE, await resultsIn(answer.body));
  return answer;
}

function asType({ status, headers }: Response, type: string, text: string): Response {
  const own = new Headers(headers);
  own.set('content-type', type);
  own.delete('content-length');
  return new Response(text, { status, headers: own });
}

/** The results in a stream. Other messages are notifications, which a client without a stream cannot receive. */
async function resultsIn(body: ReadableStream<Uint8Array>): Promise<string> {
  const results: unknown[] = [];
  for await (const { data } of eventsOf(body)) {
    if (data === '') continue;
    const message = JSON.parse(data) as { readonly id?: unknown; readonly method?: unknown };
    if (message.id !== undefined && message.method === undefined) results.push(message);
  }
  return JSON.stringify(results.length === 1 ? results[0] : results);
}
