// The door of the machine's network: its addresses, routers, resolvers and neighbours.

export { type KnownNeighbour, type Link, type Links, openLinks } from './links.ts';
export { externalResolvers, type Machine, readMachine, readOwnDomains } from './machine.ts';
