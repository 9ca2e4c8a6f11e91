// Who asks, as far as rules can know. In a file of its own, because those who find the configured client for
// it stand below the policy that they are part of.

/** What the network says of an address, as far as it is known. */
export interface ClientTraits {
  /** Its hardware address: six bytes in lower-case hexadecimal with colons. */
  readonly mac?: string | undefined;
  /** The name that the reverse lookup of its address gave. */
  readonly hostName?: string | undefined;
  /** The interface by which it is reached, such as eth0. */
  readonly interface?: string | undefined;
}

/** Who asks, as far as rules can know. */
export interface PolicyClient extends ClientTraits {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  /** What it calls itself. */
  readonly name: string | undefined;
}
