import { readFileSync } from 'node:fs';

/** A request and an answer of an operation. */
export interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
}

let recorded: Readonly<Record<string, Example>> | undefined;

/** What a real run sent and got, by operation. `tests/flows/recorded-examples.test.ts` records and checks it. */
export function exampleOf(operationId: string): Example {
  recorded ??= JSON.parse(readFileSync(new URL('recorded-examples.json', import.meta.url), 'utf8')) as Readonly<Record<string, Example>>;
  return recorded[operationId] ?? {};
}
