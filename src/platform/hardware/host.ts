// Describes the machine: the kernel's information about itself, and the firmware's about the hardware.

import { hostname, machine, release, type, version } from 'node:os';
import { join } from 'node:path';
import type { ReplyBody } from '#contract';
import { readSmallFile } from './small-file.ts';

type Host = ReplyBody<'getHostInfo', 200>['host'];

/** `root` is a parameter for tests. */
export async function readHost(root = '/'): Promise<Host> {
  const dmi = async (name: string): Promise<string | null> =>
    (await readSmallFile(join(root, 'sys/class/dmi/id', name))) ?? null;
  return {
    uname: {
      domainname: (await readSmallFile(join(root, 'proc/sys/kernel/domainname'))) ?? '(none)',
      machine: machine(),
      nodename: hostname(),
      release: release(),
      sysname: type(),
      version: version(),
    },
    model: (await readSmallFile(join(root, 'proc/device-tree/model'))) ?? null,
    dmi: {
      bios: { vendor: await dmi('bios_vendor') },
      board: {
        name: await dmi('board_name'),
        vendor: await dmi('board_vendor'),
        version: await dmi('board_version'),
      },
      product: {
        name: await dmi('product_name'),
        family: await dmi('product_family'),
        version: await dmi('product_version'),
      },
      sys: { vendor: await dmi('sys_vendor') },
    },
  };
}
