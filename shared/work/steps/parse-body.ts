import { type JsonBody, readJson } from '../../http/json-body.ts';
import type { Answered, ApiRequest } from '../job.ts';
import type { Step } from './step.ts';

export interface ParsedRequest extends ApiRequest {
  readonly body: JsonBody | undefined;
}

/** Parses the body as JSON, before any schema sees it. */
export const parseBody: Step<ApiRequest, ParsedRequest, Answered> = async (job, rest) => rest({ ...job, body: await noteBody(job) });

/** Parses the body and records it. @throws Problem when it is not JSON */
export async function noteBody({ received, context, notes }: ApiRequest): Promise<JsonBody | undefined> {
  const body = await readJson(received.headers, received.body, { isInside: context.chain.length > 0 });
  notes.request = body?.value;
  notes.requestText = body?.text;
  return body;
}
