import fc from 'fast-check';
import { type Known, type Schema, schemasOf } from './json-schema.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}
interface Described {
  readonly $ref?: string;
  readonly content?: Content;
  /** The codes of a refusal, in the document of the estate. */
  readonly 'x-problem-codes'?: readonly string[];
}
interface OperationPart {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Described>>;
  readonly 'x-dry-run'?: Described;
}
export interface OpenApiDocument {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationPart>>>>;
}

/** A request as a fuzzer sends it. */
export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
export interface Answered {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** The operations of a document, for tests that compare answers with it. */
export function describedBy(document: OpenApiDocument) {
  const schemas = schemasOf(document);
  const found = <T extends { readonly $ref?: string }>(part: T): T =>
    part.$ref === undefined
      ? part
      : found(
          (part.$ref.slice(2).split('/') as string[]).reduce((at, step) => (at as Record<string, unknown>)[step], document as unknown) as T,
        );

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      schemes: (operation.security ?? document.security ?? []).flatMap((scheme) => Object.keys(scheme)),
      parameters: (operation.parameters ?? []).map(found),
      body: operation.requestBody?.content['application/json']?.schema,
      bodyRequired: operation.requestBody?.required === true,
      responses: operation.responses,
      dryRun: operation['x-dry-run'],
    })),
  );
  type Operation = (typeof operations)[number];

  /** Requests that the document describes; a body that is not required is sometimes left out. */
  function fittingRequests({ path, parameters, body, bodyRequired }: Operation, known: Known): fc.Arbitrary<Asked> {
    const values = fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, schemas.fitting(schema, known, name)])), {
      requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
    });
    const bodies: fc.Arbitrary<unknown> =
      body === undefined
        ? fc.constant(undefined)
        : fc.oneof(schemas.fitting(body, known), ...(bodyRequired ? [] : [fc.constant(undefined)]));
    return fc.tuple(values, bodies).map(([given, sent]) => requestOf(path, parameters, given, sent));
  }

  /** Requests with one mistake in the body or in a header, if a mistake is possible. */
  function misfittingRequests(operation: Operation, known: Known): fc.Arbitrary<Asked> | undefined {
    const { body } = operation;
    if (body === undefined) return undefined;
    return fc
      .tuple(fittingRequests(operation, known), schemas.misfitting(body, known))
      .map(([asked, wrong]) => ({ ...asked, body: wrong }));
  }

  /** @returns deviations of an answer from the document */
  function complaint({ responses, dryRun }: Operation, { status, contentType, text }: Answered): string | undefined {
    const isDry = status === 200 && dryRun?.content?.[String(contentType)] !== undefined;
    const response = isDry ? dryRun : (responses[status] ?? responses['default']);
    if (!response) return `status ${status} is not described, only ${Object.keys(responses).join(', ')}: ${text.slice(0, 300)}`;
    const { content, 'x-problem-codes': codes } = found(response);
    if (content === undefined) return text === '' ? undefined : `status ${status} is described without a body, and has one`;
    const mediaType = contentType?.split(';')[0] ?? 'none';
    const described = content[mediaType];
    if (!described) return `content type ${mediaType} of status ${status} is not described, only ${Object.keys(content).join(', ')}`;
    if (!mediaType.endsWith('json')) return undefined;
    const answer = JSON.parse(text) as { readonly code?: string };
    if (codes !== undefined && !codes.includes(answer.code ?? 'none'))
      return `code ${answer.code} of status ${status} is not described, only ${codes.join(', ')}`;
    return schemas.misfit(described.schema, answer);
  }

  return { operations, fittingRequests, misfittingRequests, complaint };
}

function requestOf(path: string, parameters: readonly Parameter[], given: Readonly<Record<string, unknown>>, body: unknown): Asked {
  const of = (where: Parameter['in']) => parameters.filter((parameter) => parameter.in === where && given[parameter.name] !== undefined);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const query = new URLSearchParams(of('query').map(({ name }): [string, string] => [name, String(given[name])]));
  return {
    path: query.size === 0 ? filled : `${filled}?${query}`,
    headers: Object.fromEntries(of('header').map(({ name }) => [name.toLowerCase(), String(given[name])])),
    body,
  };
}

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
