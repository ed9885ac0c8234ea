import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = 'unified-commerce-estate:local';

/** The image under test: ESTATE_IMAGE if set, otherwise a build of the Dockerfile. */
export async function estateImage(): Promise<string> {
  const given = process.env['ESTATE_IMAGE'];
  if (given !== undefined && given !== '') return given;
  return builtImage(PROJECT, BUILT);
}

/** Builds the Dockerfile of a folder with the builder that every engine has. @returns the tag */
export async function builtImage(folder: string, tag: string): Promise<string> {
  const env = { ...process.env, DOCKER_BUILDKIT: '0' };
  await promisify(execFile)('docker', ['build', '--quiet', '--tag', tag, folder], { env, maxBuffer: 64 * 1_048_576 });
  return tag;
}
