import type { CallOptions, EstateClient } from '../../rehearsal/estate-client.ts';

/** A reply with an untyped body: a test fails when an expected member is missing. */
export interface PlainReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies are untyped JSON
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A client for valid and invalid calls by any method and path. */
export type PlainClient = {
  readonly call: (method: string, path: string, body?: unknown, how?: CallOptions) => Promise<PlainReply>;
} & EstateClient;

export const plain = (client: EstateClient): PlainClient => client as PlainClient;
