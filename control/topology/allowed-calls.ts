import { apis } from '../../shared/catalog/apis.ts';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { calls } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';

interface AllowedCall {
  readonly from: Application | 'client';
  readonly to: Application;
  readonly call: string;
}

const publicApis: readonly ApiDefinition[] = Object.values(apis);
const everyCall: ReadonlyMap<string, ApiDefinition> = new Map([...publicApis, ...Object.values(internalCalls)].map((api) => [api.id, api]));

/** What the catalog allows: the APIs that clients call, then the calls of each application. Only applications send signed requests. */
export const allowedCalls: readonly AllowedCall[] = [
  ...publicApis
    .filter(({ auth }) => auth !== 'signature')
    .map(({ id, application }): AllowedCall => ({ from: 'client', to: application, call: id })),
  ...applicationNames.flatMap((from) =>
    calls[from].flatMap((call): readonly AllowedCall[] => {
      const to = everyCall.get(call)?.application;
      return to === undefined ? [] : [{ from, to, call }];
    }),
  ),
];
