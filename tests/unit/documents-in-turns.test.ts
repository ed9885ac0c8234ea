import { expect, test } from '@jest/globals';
import express from 'express';
import { stringify } from 'yaml';
import { apis } from '../../shared/catalog/apis.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { asyncApiInSteps, estateAsyncApi } from '../../shared/contract/asyncapi/document.ts';
import { answeredBy, applicationContract, contractInSteps } from '../../shared/contract/openapi/application-contract.ts';
import { estateOpenApi, openApiInSteps } from '../../shared/contract/openapi/document.ts';
import { type Steps, stepsBreathing } from '../../shared/domain/breathe.ts';
import { fixedDocument, yamlOf } from '../../shared/http/fixed-document.ts';
import { serving } from '../conform/serving.ts';
import { countingPauses } from '../support/counting-pauses.ts';

/** The result, and the number of turns that other work gets before it. */
async function inTurns<R>(steps: Steps<R>) {
  const { breathe, taken } = countingPauses();
  const value = await stepsBreathing(steps, breathe);
  return { turns: taken(), value };
}

test('The OpenAPI document leaves a turn to other work after each operation', async () => {
  const { turns, value } = await inTurns(openApiInSteps('1.2.3'));
  expect(turns).toBe(Object.keys(apis).length + Object.keys(controlOperations).length);
  expect(value).toEqual(estateOpenApi('1.2.3'));
});

test('The AsyncAPI document leaves a turn to other work after each event', async () => {
  const { turns, value } = await inTurns(asyncApiInSteps('1.2.3', 'memory'));
  expect(turns).toBe(allEvents.length);
  expect(value).toEqual(estateAsyncApi('1.2.3', 'memory'));
});

test('The contract of an application leaves a turn to other work after each call', async () => {
  const { turns, value } = await inTurns(contractInSteps('oms', '1.2.3'));
  expect(turns).toBe(answeredBy('oms').length);
  expect(value).toEqual(applicationContract('oms', '1.2.3'));
});

test('YAML is the text of the whole document, and leaves a turn to other work after each path and schema', async () => {
  const openapi = estateOpenApi('1.2.3') as { readonly paths: object; readonly components: { readonly schemas: object } };
  const odd = {
    none: undefined,
    empty: {},
    list: [{ a: 1 }, []],
    'a: b': { '- c': { '/d': { text: 'one\n\ntwo\n' } } },
    null: { '': null },
  };
  for (const document of [openapi, estateAsyncApi('1.2.3', 'memory'), applicationContract('pos', '1.2.3'), odd, {}]) {
    const { breathe, taken } = countingPauses();
    const text = await yamlOf(document, breathe);
    expect(text === stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })).toBe(true);
    if (document === openapi) expect(taken()).toBeGreaterThan(Object.keys({ ...openapi.paths, ...openapi.components.schemas }).length);
  }
});

test.each(['br', 'gzip'])('A document is compressed with %s while other work runs', async (encoding) => {
  let turns = 0;
  let turnsUntilSent: number | undefined;
  const count = (): void => {
    turns += 1;
    if (turnsUntilSent === undefined) setImmediate(count);
  };
  const answer = fixedDocument('text/plain', () => {
    count();
    return 'Lorem ipsum '.repeat(100_000);
  });
  const app = express().get('/', async (request, response) => {
    const send = response.send.bind(response);
    response.send = (body) => {
      turnsUntilSent = turns;
      return send(body);
    };
    await answer(request, response);
  });
  await using server = await serving(app);
  const reply = await fetch(server.url, { headers: { 'accept-encoding': encoding } });
  expect([reply.headers.get('content-encoding'), (await reply.text()).length]).toEqual([encoding, 1_200_000]);
  // The first turn wrote the document.
  expect(turnsUntilSent).toBeGreaterThan(1);
});
