// The kernel's small files, read from texts and folders like those of real machines.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readHost } from './host.ts';
import { readSensors } from './sensors.ts';
import { parseMemory, parseProcesses, parseTicks } from './system.ts';

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hardware-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('texts of the kernel', () => {
  test('memory', () => {
    const text =
      'MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  400 kB\nSwapTotal: 200 kB\nSwapFree: 150 kB\n';
    assert.deepEqual(parseMemory(text), {
      ram: { total: 1000, free: 100, used: 600, available: 400, '%used': 60 },
      swap: { total: 200, free: 150, used: 50, '%used': 25 },
    });
    const { ram, swap } = parseMemory('');
    assert.ok(ram.total > 0 && ram.used >= 0);
    assert.deepEqual(swap, { total: 0, free: 0, used: 0, '%used': 0 });
  });

  test('processes and time', () => {
    assert.equal(parseProcesses('0.20 0.18 0.12 1/180 11206'), 180);
    assert.equal(parseProcesses(''), 0);
    const stat = 'cpu  10 1 5 80 4 0 0 0 7 7\ncpu0 10 1 5 80 4 0 0 0 7 7\n';
    assert.deepEqual(parseTicks(stat), { total: 100, idle: 84 });
    assert.deepEqual(parseTicks(''), { total: 0, idle: 0 });
  });
});

test('the machine', async (t) => {
  const root = folderWith(t, {
    'proc/device-tree/model': 'Raspberry Pi 4 Model B Rev 1.4\0',
    'sys/class/dmi/id/board_name': ' Board 1\n',
    'sys/class/dmi/id/sys_vendor': '\n',
  });
  const { model, dmi, uname } = await readHost(root);
  assert.equal(model, 'Raspberry Pi 4 Model B Rev 1.4');
  assert.deepEqual([dmi.board.name, dmi.sys.vendor, dmi.bios.vendor], [' Board 1', null, null]);
  assert.equal(uname.domainname, '(none)');
});

test('temperatures', async (t) => {
  const folder = folderWith(t, {
    'hwmon10/name': 'coretemp\n',
    'hwmon10/temp1_input': '48000\n',
    'hwmon10/temp1_label': 'Package id 0\n',
    'hwmon10/temp1_max': '80000\n',
    'hwmon10/temp1_crit': '100000\n',
    'hwmon10/temp10_input': '-1500\n',
    'hwmon10/temp2_input': 'broken\n',
    'hwmon2/name': 'nvme\n',
    'devices/coretemp.0/x': '',
    'other/name': 'no chip\n',
  });
  symlinkSync(join(folder, 'devices/coretemp.0'), join(folder, 'hwmon10/device'));
  assert.deepEqual(await readSensors(folder), {
    list: [
      { name: 'nvme', path: 'hwmon2', source: '', temps: [] },
      {
        name: 'coretemp',
        path: 'hwmon10',
        source: 'coretemp.0',
        temps: [
          { name: 'Package id 0', value: 48, max: 80, crit: 100, sensor: 'temp1' },
          { name: null, value: -1.5, max: null, crit: null, sensor: 'temp10' },
        ],
      },
    ],
    cpu_temp: 48,
    hot_limit: 60,
    unit: 'C',
  });
  assert.deepEqual((await readSensors(join(folder, 'none'))).list, []);
});
