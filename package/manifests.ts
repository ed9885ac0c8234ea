import manifest from '../package.json' with { type: 'json' };

export const { engines } = manifest;
const { name, version, description, license, keywords, dependencies, peerDependencies } = manifest;
const SERVER = `${name}-server`;
/** Bundled with the command line. */
const { commander: _commander, ...ofTheEstate } = dependencies;

/**
 * Client, rehearsals and command line, with everything that they need inside. Names the estate itself and Testcontainers, so that
 * package managers that keep packages apart let it find them, and so that their versions fit.
 */
export const clientManifest = {
  ...{ name, version, description, license, keywords, engines },
  exports: {
    '.': { types: './types/rehearsal/public.d.ts', default: './client.js' },
    './testcontainers': { types: './types/testcontainers/public.d.ts', default: './testcontainers.js' },
    './package.json': './package.json',
  },
  bin: { estate: 'estate.cjs', [name]: 'estate.cjs' },
  peerDependencies: { ...peerDependencies, [SERVER]: version },
  peerDependenciesMeta: { testcontainers: { optional: true }, [SERVER]: { optional: true } },
};

/** The estate itself. */
export const serverManifest = {
  ...{ name: SERVER, version, license, keywords, engines },
  description: `The estate itself, which the command of ${name} starts.`,
  type: 'module',
  exports: { './for-command-line': './estate/for-command-line.js', './main': './estate/main.js', './package.json': './package.json' },
  dependencies: ofTheEstate,
};
