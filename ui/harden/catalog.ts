/** The bundler evaluates this module, as `data/catalog.ts`: a page needs the names, but not the schema. */
export { FAILING, FAMILIES, VERDICTS } from '../../rehearsal/harden/run.ts';
