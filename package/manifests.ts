import manifest from '../package.json' with { type: 'json' };

export const { engines } = manifest;
const { name, version, description, license, keywords, dependencies, peerDependencies } = manifest;
const SERVER = `${name}-server`;
/** The repository of a release: npm compares it with the provenance of a published package. */
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const origin = GITHUB_REPOSITORY ? { repository: { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` } } : {};
/** Commander is bundled with the command line, so the server does not need it. */
const { commander: _commander, ...ofTheEstate } = dependencies;

/** Client, rehearsals and command line. Peer dependencies let strict package managers resolve the server and Testcontainers. */
export const clientManifest = {
  name,
  version,
  description,
  license,
  keywords,
  ...origin,
  engines,
  exports: {
    '.': { types: './types/rehearsal/public.d.ts', default: './client.js' },
    './testcontainers': { types: './types/testcontainers/public.d.ts', default: './testcontainers.js' },
    './package.json': './package.json',
  },
  bin: { estate: 'estate.cjs', [name]: 'estate.cjs' },
  peerDependencies: { ...peerDependencies, [SERVER]: version },
  peerDependenciesMeta: { testcontainers: { optional: true }, [SERVER]: { optional: true } },
};

export const serverManifest = {
  name: SERVER,
  version,
  license,
  keywords,
  ...origin,
  engines,
  description: `The estate itself, which the command of ${name} starts.`,
  type: 'module',
  exports: { './for-command-line': './estate/for-command-line.js', './main': './estate/main.js', './package.json': './package.json' },
  dependencies: ofTheEstate,
};
