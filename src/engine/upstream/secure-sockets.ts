// TLS sockets to upstreams: certificates are always verified, against the name that was set or the address
// itself (RFC 7858 section 4, RFC 8310), and sessions are resumed, which spares a round trip.

import { isIP } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { UpstreamAddress } from './parse-upstream.ts';

const maxSessions = 64;

export class SecureSockets {
  readonly #sessions = new Map<string, Buffer>();
  #authorities: readonly string[] = [];
  #context: SecureContext | undefined;

  setAuthorities(authorities: readonly string[]): void {
    if (authorities.join() === this.#authorities.join()) return;
    this.#authorities = authorities;
    this.#context = undefined;
    this.#sessions.clear();
  }

  open(upstream: UpstreamAddress, address: string, protocol: string, onOpen: () => void): TLSSocket {
    const tls = process.getBuiltinModule('node:tls');
    this.#context ??= this.#makeContext();
    const session = this.#sessions.get(upstream.text);
    const socket = tls.connect(
      {
        host: address,
        port: upstream.port,
        secureContext: this.#context,
        ALPNProtocols: [protocol],
        // An address is no server name (RFC 6066 section 3); it is compared with the certificate as `host`.
        ...(isIP(upstream.tlsName) === 0 ? { servername: upstream.tlsName } : {}),
        ...(session === undefined ? {} : { session }),
      },
      onOpen,
    );
    socket.setNoDelay(true);
    socket.on('session', (fresh) => this.#keep(upstream.text, fresh));
    socket.on('error', () => this.#sessions.delete(upstream.text));
    return socket;
  }

  #keep(text: string, session: Buffer): void {
    if (this.#sessions.size < maxSessions || this.#sessions.has(text)) this.#sessions.set(text, session);
  }

  #makeContext(): SecureContext {
    const tls = process.getBuiltinModule('node:tls');
    const minVersion = 'TLSv1.2';
    if (this.#authorities.length === 0) return tls.createSecureContext({ minVersion });
    const ca = [...tls.getCACertificates('default'), ...this.#authorities];
    return tls.createSecureContext({ minVersion, ca });
  }
}
