import { buildPages } from '../console/build.ts';

/** Runs while the image is built, where esbuild is installed. */
await buildPages();
