// The scanner's state from one line to the next. Only two formats need it: zone files (the origin, and an SOA
// record over several lines) and unbound (the address of a redirected zone is in a data line that follows).

import { MAX_SOA_LINES } from './limits.ts';

export class ZoneState {
  /** The value of $ORIGIN in lower case, without its last dot; '' for none. */
  origin = '';
  /** Lines left of a record in parentheses; 0 outside. */
  openLines = 0;
  /** A redirected zone of unbound, '' for none; its position, and whether a rule was emitted for it. */
  redirect = '';
  redirectLine = 0;
  isRedirectAnswered = true;

  /** A record of the zone itself: its content is ignored, only its end matters. */
  open(text: string): void {
    const bare = text.replace(/;.*$/, '');
    if (bare.includes('(') && !bare.includes(')')) this.openLines = MAX_SOA_LINES;
  }

  /** A further line of it. */
  goOn(text: string): void {
    this.openLines = text.replace(/;.*$/, '').includes(')') ? 0 : this.openLines - 1;
  }
}
