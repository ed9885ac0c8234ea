import type { CallOptions, EstateClient } from '../../rehearsal/estate-client.ts';

/** A reply of which a test reads what it expects; the answer of another API, or of none, fails the test. */
export interface PlainReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test knows its request
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A client for calls by any method and path, right and wrong ones. */
export type PlainClient = {
  readonly call: (method: string, path: string, body?: unknown, how?: CallOptions) => Promise<PlainReply>;
} & EstateClient;

export const plain = (client: EstateClient): PlainClient => client as PlainClient;
