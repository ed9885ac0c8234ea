import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aFolder } from '../support/folder.ts';
import { runIn } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

/** States that the engine is on this machine. Inside a container, the libraries would otherwise start a container to detect it. */
const HERE: NodeJS.ProcessEnv = process.env['DOCKER_HOST'] === undefined ? { TESTCONTAINERS_HOST_OVERRIDE: 'localhost' } : {};

interface Language {
  readonly name: string;
  readonly folder: string;
  /** Fetches what the tests need; it fails where its registry cannot be reached. */
  readonly prepare: string;
  readonly run: string;
  /** A word of the output when the tests passed. */
  readonly passed: RegExp;
}

const PIP = 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt';
const MAVEN = 'mvn -B -ntp';
const languages: readonly Language[] = [
  { name: 'Python', folder: 'python', prepare: PIP, run: '.venv/bin/pytest', passed: /2 passed/ },
  { name: 'Go', folder: 'go', prepare: 'go mod download', run: 'go test ./...', passed: /^ok\s+estate/m },
  {
    name: 'Java',
    folder: 'java',
    prepare: `${MAVEN} -q dependency:go-offline`,
    run: `${MAVEN} test`,
    passed: /Tests run: 1, Failures: 0, Errors: 0/,
  },
];

if (whyNoDocker !== undefined) skipWithoutDocker('tests of projects in other languages');
else {
  const projects = await aFolder(new URL('./languages/', import.meta.url));
  const ready: Language[] = [];
  for (const language of languages) {
    const { code, err } = await runIn(projects.at(language.folder), 'bash', ['-c', language.prepare]);
    if (code === 0) ready.push(language);
    else
      skipTests(
        `the test in ${language.name}`,
        `its tools or libraries are missing: ${err.trim().split('\n').at(-1)}`,
        'its tools and libraries',
      );
  }

  describe('The pages for Testcontainers', () => {
    let image: string;
    beforeAll(async () => {
      image = await estateImage();
    });
    afterAll(projects.remove);

    test.each(ready)('The test that the page for $name prints passes', async ({ folder, run, passed }) => {
      const { out, err, code } = await runIn(projects.at(folder), 'bash', ['-c', run], { ...HERE, ESTATE_IMAGE: image });
      expect([code, out + err]).toEqual([0, expect.stringMatching(passed)]);
    });
  });
}
