// Where names stand in the data of records. Only in the types of RFC 1035 may they be compressed, and the
// older ones that RFC 3597 section 4 names may arrive so: whoever moves a record within a message has to look
// after the pointers in these, and in no others.

import { Type } from './codes.ts';

/** How many bytes stand before the names, and how many names follow. */
interface Layout {
  readonly prefixBytes: number;
  readonly names: number;
}

const none: Layout = { prefixBytes: 0, names: 0 };
const one: Layout = { prefixBytes: 0, names: 1 };
const two: Layout = { prefixBytes: 0, names: 2 };
const preferred: Layout = { prefixBytes: 2, names: 1 };

const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [Type.NS, one],
  [Type.CNAME, one],
  [Type.SOA, two],
  [Type.MB, one],
  [Type.MG, one],
  [Type.MR, one],
  [Type.PTR, one],
  [Type.MINFO, two],
  [Type.MX, preferred],
  [Type.RP, two],
  [Type.AFSDB, preferred],
  [Type.RT, preferred],
  [Type.SIG, { prefixBytes: 18, names: 1 }],
  [Type.PX, { prefixBytes: 2, names: 2 }],
  [Type.NXT, one],
  [Type.SRV, { prefixBytes: 6, names: 1 }],
  [Type.KX, preferred],
  [Type.DNAME, one],
]);

export function namesInData(type: number): Layout {
  return LAYOUTS.get(type) ?? none;
}
