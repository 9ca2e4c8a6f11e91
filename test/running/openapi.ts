// The served OpenAPI document as a list of operations: how to call each one, and a check of a reply against
// what the document declares for its status. It uses nothing but the document.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { at } from './reply.ts';
import type { Resolve, Schema } from './generated.ts';

type Parameter = { readonly name: string; readonly place: 'path' | 'query'; readonly schema: Schema };

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly declared: unknown;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON body; undefined for operations without a body. */
  readonly body: Schema;
};

export type Document = {
  readonly root: unknown;
  readonly operations: readonly Operation[];
  readonly resolve: Resolve;
  /** A check for the schema at these keys of the document. */
  readonly checkAt: (...path: readonly string[]) => ValidateFunction;
};

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const documentId = 'document';

export const readDocument = (served: unknown): Document => {
  const root = withResponses(served);
  // The document has keywords besides those of JSON Schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(Object(root), documentId);
  const resolve: Resolve = (ref) => resolveIn(root, ref);
  const operations = Object.entries(Object(at(root, 'paths'))).flatMap(([path, item]) =>
    methods
      .filter((method) => at(item, method) !== undefined)
      .map((method) => operationOf(method, path, item)),
  );
  // Compiling a schema takes longer than the request whose reply it checks.
  const checks = new Map<string, ValidateFunction>();
  const checkAt = (...path: readonly string[]): ValidateFunction => {
    const $ref = `${documentId}#/${path.map(escapePointer).join('/')}`;
    const check = checks.get($ref) ?? ajv.compile({ $ref });
    checks.set($ref, check);
    return check;
  };
  return { root, operations, resolve, checkAt };
};

/** The document with each reference to a response replaced by the response. */
function withResponses(served: unknown): unknown {
  const text = JSON.stringify(served).replaceAll(
    /\{"\$ref":"(#\/components\/responses\/[^"]+)"\}/g,
    (_, ref: string) => JSON.stringify(resolveIn(served, ref)),
  );
  return JSON.parse(text);
}

function resolveIn(root: unknown, ref: string): unknown {
  return at(root, ...ref.replace(/^#\//, '').split('/').map(unescapePointer));
}

const operationOf = (method: string, path: string, item: unknown): Operation => {
  const declared = at(item, method);
  const parameters = at(declared, 'parameters');
  return {
    method: method.toUpperCase(),
    path,
    declared,
    parameters: (Array.isArray(parameters) ? parameters : []).map((parameter: unknown) => ({
      name: String(at(parameter, 'name')),
      place: at(parameter, 'in') === 'path' ? 'path' : 'query',
      schema: at(parameter, 'schema'),
    })),
    body: at(declared, 'requestBody', 'content', 'application/json', 'schema'),
  };
};

// RFC 6901 section 3, and as part of a URL its section 6.
const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

const unescapePointer = (text: string): string =>
  decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~');
