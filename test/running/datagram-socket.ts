// A Unix datagram socket that something is told through, as systemd makes one for the services that it
// starts. Node has no such sockets, so this one is made by the C library.

import koffi from 'koffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const messageMaxBytes = 4_096;

export type DatagramSocket = {
  /** What has come since the last look, one text for each datagram. */
  readonly take: () => readonly string[];
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
  const takeOne = (): string | undefined => {
    const bytes = Buffer.alloc(messageMaxBytes);
    const length = Number(recv(fd, bytes, bytes.length, 0));
    return length < 0 ? undefined : bytes.toString('utf8', 0, length);
  };
  return {
    take: () => {
      const texts: string[] = [];
      for (let text = takeOne(); text !== undefined; text = takeOne()) texts.push(text);
      return texts;
    },
    close: () => close(fd),
  };
};
