import type { CallOptions, EstateClient } from '../../rehearsal/estate-client.ts';

/** A reply; a test reads what it expects, and fails with the answer of another API. */
export interface PlainReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test has its request
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A client for calls by any method and path, right and wrong ones. */
export type PlainClient = {
  readonly call: (method: string, path: string, body?: unknown, how?: CallOptions) => Promise<PlainReply>;
} & EstateClient;

export const plain = (client: EstateClient): PlainClient => client as PlainClient;
