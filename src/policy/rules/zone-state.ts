// What the scanner remembers from one line to the next. Only two formats need it: zone files (the origin, and
// an SOA record that goes on over several lines) and unbound (a redirected zone gets its address by a line of
// data that follows).

import { MAX_SOA_LINES } from './limits.ts';

export class ZoneState {
  /** Of $ORIGIN, in lower case, without its last dot; '' for none. */
  origin = '';
  /** Lines left of a record in parentheses; 0 outside. */
  openLines = 0;
  /** A redirected zone of unbound, '' for none; where it stood, and whether a rule was made of it yet. */
  redirect = '';
  redirectLine = 0;
  isRedirectAnswered = true;

  /** A record of the zone's own; nobody needs what it says, only where it ends. */
  open(text: string): void {
    const bare = text.replace(/;.*$/, '');
    if (bare.includes('(') && !bare.includes(')')) this.openLines = MAX_SOA_LINES;
  }

  /** A further line of it. */
  goOn(text: string): void {
    this.openLines = text.replace(/;.*$/, '').includes(')') ? 0 : this.openLines - 1;
  }
}
