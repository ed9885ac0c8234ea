import { applications } from '../../shared/catalog/applications.ts';

/** Titles of the applications. The bundler evaluates this module, as `data/catalog.ts`. */
export const titles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(applications).map(([id, { title }]) => [id, title]),
);
