import { readFileSync } from 'node:fs';

/** A typical refusal of an operation. */
export interface RefusalExample {
  readonly request?: unknown;
  readonly status: number;
  /** The problem. */
  readonly body: unknown;
}

/** A request, an answer and a refusal of an operation. */
export interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
  readonly refusal?: RefusalExample;
}

let recorded: Readonly<Record<string, Example>> | undefined;

/** What a real run sent and got, by operation. `tests/flows/recorded-examples.test.ts` records and checks it. */
export function exampleOf(operationId: string): Example {
  recorded ??= JSON.parse(readFileSync(new URL('recorded-examples.json', import.meta.url), 'utf8')) as Readonly<Record<string, Example>>;
  return recorded[operationId] ?? {};
}
