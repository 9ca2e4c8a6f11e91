// A client's address as four 32-bit words in network order, IPv4 as ::ffff:a.b.c.d. Words compare and hash
// without an allocation; text and bytes are made only where a person or a rule needs them.

export class ClientAddress {
  a0 = 0;
  a1 = 0;
  a2 = 0;
  a3 = 0;

  setIpv4(word: number): void {
    this.a0 = 0;
    this.a1 = 0;
    this.a2 = 0xffff;
    this.a3 = word | 0;
  }

  setWords(a0: number, a1: number, a2: number, a3: number): void {
    this.a0 = a0 | 0;
    this.a1 = a1 | 0;
    this.a2 = a2 | 0;
    this.a3 = a3 | 0;
  }

  copyFrom(other: ClientAddress): void {
    this.setWords(other.a0, other.a1, other.a2, other.a3);
  }

  get isIpv4(): boolean {
    return this.a0 === 0 && this.a1 === 0 && this.a2 === 0xffff;
  }

  /** 127.0.0.0/8 and ::1. */
  get isLoopback(): boolean {
    if (this.isIpv4) return this.a3 >>> 24 === 127;
    return this.a0 === 0 && this.a1 === 0 && this.a2 === 0 && this.a3 === 1;
  }

  writeTo(out: Uint8Array, at: number): void {
    writeWord(out, at, this.a0);
    writeWord(out, at + 4, this.a1);
    writeWord(out, at + 8, this.a2);
    writeWord(out, at + 12, this.a3);
  }

  /** 4 or 16 bytes, as they stand in a packet or a socket address. */
  readFrom(bytes: Uint8Array, at: number, length: number): void {
    if (length === 4) this.setIpv4(readWord(bytes, at));
    else
      this.setWords(
        readWord(bytes, at),
        readWord(bytes, at + 4),
        readWord(bytes, at + 8),
        readWord(bytes, at + 12),
      );
  }
}

function readWord(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}

function writeWord(out: Uint8Array, at: number, word: number): void {
  out[at] = word >>> 24;
  out[at + 1] = word >>> 16;
  out[at + 2] = word >>> 8;
  out[at + 3] = word;
}
