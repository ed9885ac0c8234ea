import { type JsonBody, readJson } from '../../http/json-body.ts';
import type { Answered, ApiRequest } from '../job.ts';
import type { Step } from './step.ts';

export interface ParsedRequest extends ApiRequest {
  readonly body: JsonBody | undefined;
}

/** Parses the body as JSON, before any schema sees it. */
export const parseBody: Step<ApiRequest, ParsedRequest, Answered> = async (job, rest) => {
  const { received, context, trail } = job;
  const body = await readJson(received.headers, received.body, { isInside: context.chain.length > 0 });
  trail.request = body?.value;
  trail.requestText = body?.text;
  return rest({ ...job, body });
};
