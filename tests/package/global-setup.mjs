import setup from '../support/global-setup.mjs';

/** An estate for these tests, without the check that tests cover the whole catalog. */
export default async function setupWithoutCoverage(...given) {
  await setup(...given);
  delete process.env.CATALOG_COVERAGE;
}
