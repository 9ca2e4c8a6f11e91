// Numbers of Linux's socket interface that node:os does not name. They are the "generic" values of the
// kernel's headers, the same on x64 and arm64; other architectures (mips, sparc) use other numbers for some
// of them, which is why loadLibc supports only these two.

export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;

export const SOCK_STREAM = 1;
export const SOCK_DGRAM = 2;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;

export const SOL_SOCKET = 1;
export const SO_REUSEADDR = 2;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_REUSEPORT = 15;
export const SO_SNDBUFFORCE = 32;
export const SO_RCVBUFFORCE = 33;
export const IPPROTO_IPV6 = 41;
export const IPV6_V6ONLY = 26;

export const O_CLOEXEC = 0o2000000;
export const F_DUPFD_CLOEXEC = 1030;
export const LOCK_EX = 2;
export const LOCK_NB = 4;
