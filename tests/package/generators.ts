/** The generators of clients, each at a fixed version, with the commands that a user of each would give. */

interface Step {
  readonly what: string;
  readonly script: string;
  /** Lines of the output that look like warnings, but do not concern the document. */
  readonly mayWarn?: RegExp;
}

export interface Family {
  readonly name: string;
  readonly folder: string;
  /** Fetches the tools; it fails where a registry cannot be reached. */
  readonly prepare: string;
  readonly steps: readonly Step[];
  readonly calls?: { readonly script: string; readonly prints: string };
}

/** What a client prints: the refusal of an order that is not paid, and the state of the order when it is. */
const ORDERED = (client: string): string => `${client} payment_incomplete\n${client} confirmed\n`;

const GENERATOR = 'java -jar openapi-generator-cli.jar';
const NPM_TOOLS =
  'orval@8.38.0 @hey-api/openapi-ts@0.99.0 openapi-typescript@7.13.0 openapi-fetch@0.17.0 zod@4.6.7 typescript@5.9.3 @types/node@22.19.1';

/** The generator renames classes that a language reserves, has support for 3.1 "in beta", and shows no example of an object. */
const OF_THE_GENERATOR =
  /3\.1 support is still in beta|reserved word\) cannot be used|matches existing language type\)|Ignoring complex example|Failed to get the schema name: null/;

const NEEDS_OPENAPI_GENERATOR =
  "[ -f ../openapi-generator/openapi-generator-cli.jar ] || { echo 'openapi-generator is missing' >&2; exit 1; }";

const POSTMAN_TOOLS = 'openapi-to-postmanv2@6.3.3 newman@6.2.2';
const PLACED = `Create Basket 201
Add Line to Basket 201
Checkout Basket 200
Create Order 201
Authorize Payment 201
Confirm Order 200
Get Order 200
confirmed authorised
`;

const forBoth = (command: (document: string) => string): string => ['estate', 'touchpoint'].map(command).join('\n');

/** A run in one process is four times as fast as runs of each language, but shows no warnings: they come from the runs for Go. */
const configuration = (language: string, properties: object): string =>
  forBoth((document) => {
    const [inputSpec, outputDir] = [`../${document}.json`, `${language}/${document}`];
    const written = { generatorName: language, inputSpec, outputDir, additionalProperties: properties };
    return `echo '${JSON.stringify(written)}' > ${language}-${document}.json`;
  });

/** The options of generators that need some. The guide prints them. */
export const OPTIONS: Readonly<Record<'go' | 'java' | 'python', Readonly<Record<string, boolean | string>>>> = {
  go: { enumClassPrefix: true, disallowAdditionalPropertiesIfNotPresent: false },
  java: { library: 'native' },
  python: { use_path_prefixes_for_title_model_names: false },
};

const joined = (options: Readonly<Record<string, boolean | string>>, sign: string, comma: string): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}${sign}${value}`)
    .join(comma);

export const families: readonly Family[] = [
  {
    name: 'openapi-generator',
    folder: 'openapi-generator',
    prepare: `
      mvn -B -ntp -q dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=. -Dmdep.stripVersion=true
      java -version
      go version`,
    steps: [
      {
        what: 'The generator writes clients in Go without a warning about the documents',
        script: forBoth(
          (document) =>
            `${GENERATOR} generate -g go -i ../${document}.json -o go/${document} --additional-properties=${joined(OPTIONS.go, '=', ',')}`,
        ),
        mayWarn: OF_THE_GENERATOR,
      },
      {
        what: 'The generator writes clients in Java, Python and TypeScript',
        script: `
          ${configuration('java', OPTIONS.java)}
          ${configuration('python', {})}
          ${configuration('typescript-fetch', {})}
          ${GENERATOR} batch --fail-fast java-*.json python-*.json typescript-fetch-*.json
          mkdir -p ../typescript/openapi-generator
          cp -r typescript-fetch/* ../typescript/openapi-generator
          cp -r python/estate/openapi_client ../python
          cp -r python/touchpoint/openapi_client ../python/touchpoint_client
          sed -i 's/openapi_client/touchpoint_client/g' $(grep -rl openapi_client ../python/touchpoint_client)`,
        mayWarn: OF_THE_GENERATOR,
      },
      {
        what: 'The clients in Go compile',
        script: `
          mkdir -p go/estate/order && cp order.go go/estate/order/main.go
          ${forBoth((document) => `(cd go/${document} && rm -rf test && go mod tidy && go build ./...)`)}`,
      },
      {
        what: 'The clients in Java compile',
        script: forBoth(
          (document) => `(cd java/${document} && mvn -B -ntp -q compile dependency:build-classpath -Dmdep.outputFile=classpath)`,
        ),
        mayWarn: /sun\.misc\.Unsafe|staticFieldBase/,
      },
    ],
    calls: {
      script: `
        (cd go/estate && go run ./order)
        java -cp "java/estate/target/classes:$(cat java/estate/classpath)" Order.java`,
      prints: ['go', 'java'].map(ORDERED).join(''),
    },
  },
  {
    name: 'oapi-codegen',
    folder: 'go',
    prepare: 'GOBIN=$PWD/bin go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
    steps: [
      {
        what: 'The generator writes clients, which compile',
        script: `
          ${forBoth(
            (document) =>
              `mkdir -p ${document} && bin/oapi-codegen -generate types,client -package ${document} -o ${document}/client.go ../${document}.json`,
          )}
          go mod tidy
          go build ./...`,
      },
    ],
    calls: { script: 'go run .', prints: ORDERED('oapi-codegen') },
  },
  {
    name: 'openapi-python-client, and the clients of openapi-generator in Python',
    folder: 'python',
    prepare: `
      ${NEEDS_OPENAPI_GENERATOR}
      python3 -m venv .venv
      .venv/bin/pip install -q openapi-python-client==0.29.1 pydantic==2.12.4 urllib3==2.7.0 python-dateutil==2.9.0.post0 typing-extensions==4.15.0`,
    steps: [
      {
        what: 'The generator writes clients without a warning',
        script: `
          printf 'post_hooks: []\\n${joined(OPTIONS.python, ': ', '\\n')}\\n' > config.yaml
          printf 'content_type_overrides:\\n  application/pdf: application/octet-stream\\n  image/png: application/octet-stream\\n' >> config.yaml
          ${forBoth((document) => `.venv/bin/openapi-python-client generate --config config.yaml --path ../${document}.json --meta none --overwrite --output-path ${document === 'estate' ? 'generated' : document}`)}`,
      },
      {
        what: 'All their modules can be imported',
        script: `.venv/bin/python -W error -c '
import importlib, pkgutil
for name in ("generated", "touchpoint", "openapi_client", "touchpoint_client"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        importlib.import_module(module.name)'`,
      },
    ],
    calls: {
      script: '.venv/bin/python calls.py',
      prints: ['openapi-python-client', 'openapi-generator'].map(ORDERED).join(''),
    },
  },
  {
    name: 'orval, @hey-api/openapi-ts, openapi-typescript, and the clients of openapi-generator in TypeScript',
    folder: 'typescript',
    prepare: `
      ${NEEDS_OPENAPI_GENERATOR}
      echo '{ "private": true }' > package.json
      # Its imports exist only here.
      cp calls.ts.template calls.ts
      npm install --save-exact --prefer-offline --no-audit --no-fund --ignore-scripts ${NPM_TOOLS}`,
    steps: [
      {
        what: 'orval writes clients and schemas of zod',
        script: `
          echo "module.exports = Object.fromEntries(['estate', 'touchpoint'].flatMap((name) => [
            [name, { input: '../' + name + '.json', output: { target: 'orval/' + name + '.ts', client: 'fetch' } }],
            [name + '-zod', { input: '../' + name + '.json', output: { target: 'orval/' + name + '.zod.ts', client: 'zod' } }],
          ]));" > orval.config.cjs
          npx orval --config orval.config.cjs`,
      },
      {
        what: '@hey-api/openapi-ts writes clients',
        script: forBoth(
          (document) =>
            `npx openapi-ts --no-log-file -i ../${document}.json -o hey-api/${document} -p @hey-api/typescript @hey-api/sdk @hey-api/client-fetch zod`,
        ),
      },
      {
        what: 'openapi-typescript writes types',
        script: forBoth((document) => `npx openapi-typescript ../${document}.json -o openapi-typescript/${document}.ts`),
      },
      {
        what: 'The clients compile',
        script: `npx tsc --strict --skipLibCheck --target es2022 --lib es2022,dom,dom.iterable --module commonjs --moduleResolution node10 \\
          --rootDir . --outDir compiled $(find calls.ts orval hey-api openapi-typescript openapi-generator -name '*.ts')`,
      },
    ],
    calls: {
      script: 'node compiled/calls.js',
      prints: ['orval', 'hey-api', 'openapi-fetch', 'openapi-generator'].map(ORDERED).join(''),
    },
  },
  {
    name: 'Postman',
    folder: 'postman',
    prepare: `
      echo '{ "private": true }' > package.json
      npm install --save-exact --prefer-offline --no-audit --no-fund --ignore-scripts ${POSTMAN_TOOLS}`,
    steps: [
      {
        what: 'The importer makes collections, with its defaults and with the settings of the guide',
        script: `
          npx openapi2postmanv2 -s ../estate.json -o defaults.json
          npx openapi2postmanv2 -s ../estate.json -o examples.json -O parametersResolution=Example,enableOptionalParameters=false`,
      },
    ],
    calls: {
      script: `
        node --no-deprecation run.cjs defaults.json demo-integration-token
        node --no-deprecation run.cjs examples.json $ESTATE_BEARER_TOKEN bodies headers`,
      prints: `${PLACED}${PLACED}`,
    },
  },
];
