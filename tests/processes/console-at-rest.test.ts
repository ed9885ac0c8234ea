import { expect, test } from '@jest/globals';
import { LOADED, loading, startEstate } from './started.ts';

test('A start loads no bundler: the first request for a page of the console does', async () => {
  await using estate = startEstate({ NODE_OPTIONS: loading('node_modules.esbuild') });
  await estate.ready();
  expect(estate.output.err).not.toContain(LOADED);
  await (await fetch(`${estate.gateway()}/console/`)).text();
  expect(estate.output.err).toContain(LOADED);
});
