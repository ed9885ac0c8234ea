import { readFileSync } from 'node:fs';
import { STORE_KEY } from './estate-process.ts';

export const CONNECTIONS = 20;
export const CASE = '02';
export const PATH = '/retail/touchpoint/basket/calculate';

export const fixture = JSON.parse(readFileSync(new URL(`../fixtures/touchpoint/${CASE}.json`, import.meta.url), 'utf8')) as {
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
};

export const request = {
  method: 'POST',
  headers: { authorization: `Bearer ${STORE_KEY}`, 'content-type': 'application/json', 'x-mock-case': CASE },
  body: JSON.stringify(fixture.request),
} as const;
