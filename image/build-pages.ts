import { buildPages } from '../console/bundle.ts';
import { buildDrawings } from '../console/drawings.ts';

/** Runs while the image is built, where esbuild is installed. */
await buildPages();
await buildDrawings();
