// The served documentation: a page, its files, and the OpenAPI document that the page shows. It works without
// internet access, because users with broken DNS need it most.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';

export const documentationEndpoints = {
  getStart: endpoint({
    method: 'GET',
    path: '/',
    topic: 'service',
    access: 'open',
    summary: 'Go to the start page',
    replies: { 302: { description: 'The documentation, until there is a web interface', body: null } },
    errors: [],
  }),
  getDocs: endpoint({
    method: 'GET',
    path: '/api/docs',
    topic: 'service',
    access: 'open',
    summary: 'Show the documentation of the API',
    hasTag: true,
    replies: { 200: { description: 'A page for people', body: 'text/html' } },
    errors: [],
  }),
  getOpenApi: endpoint({
    method: 'GET',
    path: '/api/docs/openapi.json',
    topic: 'service',
    access: 'open',
    summary: 'Get the OpenAPI document of this installation',
    hasTag: true,
    replies: { 200: { description: 'OpenAPI 3.1', body: 'application/json' } },
    errors: [],
  }),
  getDocsFile: endpoint({
    method: 'GET',
    path: '/api/docs/{file}',
    topic: 'service',
    access: 'open',
    summary: 'Get a file of the documentation page',
    hasTag: true,
    params: Type.Object({ file: Type.String({ maxLength: 100, examples: ['swagger-ui.css'] }) }),
    replies: { 200: { description: 'The file', body: '*/*' } },
    errors: ['notFound'],
  }),
} as const;
