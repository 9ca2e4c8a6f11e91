// Opens the connections of upstreams by kind. TLS and HTTP/2 are loaded when the first upstream needs them:
// many installations use UDP only, and save the memory.

import { connect, isIP } from 'node:net';
import { HttpsConnection } from './https-connection.ts';
import type { UpstreamAddress } from './parse-upstream.ts';
import { type ConnectionParts, type OpenSocket, StreamConnection } from './stream-connection.ts';
import { SecureSockets } from './secure-sockets.ts';
import type { Connection } from './upstream-parts.ts';

/** TCP beside UDP serves single answers that were truncated (RFC 7766 section 6.2.3: seconds). */
const tcpIdleMs = 5000;
const keptIdleMs = 30_000;

export class Connections {
  readonly #parts: ConnectionParts;
  readonly #secure = new SecureSockets();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  setAuthorities(authorities: readonly string[]): void {
    this.#secure.setAuthorities(authorities);
  }

  readonly open = (upstream: UpstreamAddress, address: string): Connection => {
    if (upstream.kind === 'https') return new HttpsConnection(upstream, address, this.#parts, this.#secure);
    if (upstream.kind === 'tls') {
      const openSocket: OpenSocket = (onOpen) => this.#secure.open(upstream, address, 'dot', onOpen);
      return new StreamConnection(openSocket, this.#parts, keptIdleMs);
    }
    const idleMs = upstream.usesUdp ? tcpIdleMs : keptIdleMs;
    return new StreamConnection((onOpen) => openTcp(address, upstream.port, onOpen), this.#parts, idleMs);
  };
}

const openTcp: (address: string, port: number, onOpen: () => void) => ReturnType<typeof connect> = (
  address,
  port,
  onOpen,
) => connect({ host: address, port, family: isIP(address), noDelay: true }, onOpen);
