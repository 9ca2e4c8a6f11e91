// The light door of the contract: a typed client with methods, paths and types. It loads no schema, so that
// a browser bundle stays small.

export { createClient, type ClientReply, type ClientRequest } from './client.ts';
