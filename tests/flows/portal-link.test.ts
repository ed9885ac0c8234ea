import { expect, test } from '@jest/globals';
import { estate } from '../support/estate.ts';

test('The portal of an estate in one process links to the console of its gateway', async () => {
  const description = await (await fetch(`${estate.portal}/portal.json`)).json();
  expect(description).toMatchObject({ mock: estate.touchpoint, console: `${estate.gateway}/console/` });
});
