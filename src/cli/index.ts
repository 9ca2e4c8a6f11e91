// The door of the command line's room. Nobody comes in here but the launcher, which starts main.ts.

export { exitCodes } from './exit-codes.ts';
