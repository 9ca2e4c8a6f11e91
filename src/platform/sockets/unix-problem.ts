// Why the control socket could not be opened, as a message for the operator. For the listeners with and
// without libc.

import { maxUnixPathBytes } from './sockaddr.ts';

export function unixProblem(path: string, code: string): string {
  return `control socket: cannot listen on ${path}: ${reason(code)}`;
}

function reason(code: string): string {
  switch (code) {
    case 'ENAMETOOLONG':
      return `the path is longer than ${maxUnixPathBytes} bytes (${code}). Choose a shorter data folder.`;
    case 'EADDRINUSE':
      return `a running program listens there (${code}). Stop it, or choose another data folder.`;
    case 'EEXIST':
      return `a file that is not a socket has this name (${code}). Move it away.`;
    case 'ENOENT':
    case 'ENOTDIR':
      return `its folder does not exist (${code}). Create it.`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not write there (${code}). Give the user the folder and what is in it.`;
    case 'EROFS':
      return `the file system is read-only (${code}). Choose a data folder that can be written.`;
    default:
      return `the system refuses it (${code}). Check the folder and its file system.`;
  }
}
