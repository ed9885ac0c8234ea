import { describe, test } from '@jest/globals';
import { type RegisteredApplication, registeredApplications } from '../../estate/registry.ts';
import { type Application, applications } from '../../shared/catalog/applications.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { callersOf } from '../../shared/catalog/flows.ts';
import { answeredBy, hasKey } from '../../shared/contract/openapi/application-contract.ts';
import { createBench, type Input } from '../../shared/contract/suites/bench.ts';
import { checksOf } from '../../shared/contract/suites/checks.ts';
import { suites } from '../../shared/contract/suites/suites.ts';
import { fillPath, queryString } from '../../shared/transport/path.ts';
import { startInside } from '../support/inside.ts';
import { sharedIn } from '../support/test-in.ts';

/** Applications that an application calls during its checks. */
const CALLED: Partial<Record<Application, readonly Application[]>> = { 'carrier-platform': ['fms'] };

const modulesOf = (application: Application): readonly RegisteredApplication[] =>
  registeredApplications.filter(({ service }) => [application, ...(CALLED[application] ?? [])].includes(service.application));

describe.each(suites.map((suite) => ({ suite, title: applications[suite.application].title })))(
  'The contract of the $title',
  ({ suite }) => {
    const { application } = suite;
    const inside = sharedIn(() => startInside(...modulesOf(application)));
    const ids = Object.fromEntries(Object.entries(suite.ids).map(([name, { value }]) => [name, value]));

    const call = (api: ApiDefinition, { params = {}, query = {}, body = {} }: Input, key: string) => {
      const path = `${fillPath(api.path, params)}${queryString(query)}`;
      const headers = { 'content-type': 'application/json', ...(hasKey(api) && { 'idempotency-key': key }) };
      const sent = { method: api.method, path, headers, body: api.method === 'GET' ? undefined : JSON.stringify(body) };
      return inside.forward(application, callersOf(api.id)[0] ?? '', sent);
    };

    const checks = answeredBy(application).flatMap((api) => checksOf(api, suite).map((one) => ({ ...one, api: api.name })));
    test.each(checks)('$api $title', ({ run }) => run(createBench({ call, ids, currency: 'EUR' })));
  },
);
