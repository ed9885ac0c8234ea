import setup from '../support/global-setup.mjs';

/** An estate for these tests, which are not expected to use all of the catalog. */
export default async function setupWithoutCoverage(...given) {
  await setup(...given);
  delete process.env.CATALOG_COVERAGE;
}
