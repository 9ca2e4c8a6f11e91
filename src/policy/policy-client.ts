// The client of a query, as far as rules can refer to it. A separate file, because the code that finds the
// configured client is imported by the policy.

/** What the network knows about an address so far. */
export interface ClientTraits {
  /** Its hardware address: six bytes in lower-case hexadecimal with colons. */
  readonly mac?: string | undefined;
  /** The name from the reverse lookup of its address. */
  readonly hostName?: string | undefined;
  /** The interface through which it is reached, such as eth0. */
  readonly interface?: string | undefined;
}

/** The client of a query, as far as rules can refer to it. */
export interface PolicyClient extends ClientTraits {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  /** The name that it sends. */
  readonly name: string | undefined;
}
