// A Unix datagram socket that receives notifications, such as systemd creates for the services that it
// starts. Node has no Unix datagram sockets, so this one is created through the C library.

import koffi from 'koffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const maxMessageBytes = 4_096;

export type DatagramSocket = {
  /** The datagrams received since the last call, one text each. */
  readonly receive: () => readonly string[];
  readonly close: () => void;
};

export const bindDatagramSocket = (path: string): DatagramSocket => {
  const libc = koffi.load('libc.so.6');
  const bind = libc.func('int bind(int, void *, uint32_t)');
  const recv = libc.func('long recv(int, void *, size_t, int)');
  const close = libc.func('int close(int)');
  const fd: number = libc.func('int socket(int, int, int)')(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), Buffer.from(path), Buffer.alloc(1)]);
  if (fd < 0 || bind(fd, address, address.length) !== 0) throw new Error(`${path} cannot be bound.`);
  const receiveOne = (): string | undefined => {
    const bytes = Buffer.alloc(maxMessageBytes);
    const length = Number(recv(fd, bytes, bytes.length, 0));
    return length < 0 ? undefined : bytes.toString('utf8', 0, length);
  };
  return {
    receive: () => {
      const texts: string[] = [];
      for (let text = receiveOne(); text !== undefined; text = receiveOne()) texts.push(text);
      return texts;
    },
    close: () => close(fd),
  };
};
