// Temperatures of the machine from the kernel's hwmon interface: a folder for each chip, and in it a few
// small files for each sensor, in thousandths of a degree. Read asynchronously, because some chips are slow.

import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ReplyBody } from '#contract';
import { readSmallFile } from './small-file.ts';

type Sensors = ReplyBody<'getSensors', 200>['sensors'];
type Chip = Sensors['list'][number];
type Temperature = Chip['temps'][number];

/** Far more than any machine has. */
const maxChips = 64;
const maxSensors = 64;
/** Chips that measure the processor. */
const processorChips: ReadonlySet<string> = new Set(['k10temp', 'coretemp', 'cpu_thermal', 'soc_thermal']);
const hotLimit = 60;

/** `folder` is a parameter for tests. */
export async function readSensors(folder = '/sys/class/hwmon'): Promise<Sensors> {
  const names = (await namesIn(folder)).filter((name) => /^hwmon\d+$/.test(name));
  const chips = names.toSorted(byNumber).slice(0, maxChips);
  const list = await Promise.all(chips.map((name) => readChip(folder, name)));
  const processor = list.find(({ name, temps }) => processorChips.has(name) && temps.length > 0);
  return { list, cpu_temp: processor?.temps[0]?.value ?? null, hot_limit: hotLimit, unit: 'C' };
}

async function readChip(folder: string, path: string): Promise<Chip> {
  const chip = join(folder, path);
  const numbers = (await namesIn(chip)).flatMap((name) => /^(temp\d+)_input$/.exec(name)?.[1] ?? []);
  const wanted = numbers.toSorted(byNumber).slice(0, maxSensors);
  const temps = await Promise.all(wanted.map((sensor) => readTemperature(chip, sensor)));
  return {
    name: (await readSmallFile(join(chip, 'name'))) ?? path,
    path,
    source: await deviceOf(chip),
    temps: temps.filter((temperature) => temperature !== undefined),
  };
}

/** Undefined when the sensor exists but has no value. */
async function readTemperature(chip: string, sensor: string): Promise<Temperature | undefined> {
  const value = await degrees(join(chip, `${sensor}_input`));
  if (value === null) return undefined;
  return {
    name: (await readSmallFile(join(chip, `${sensor}_label`))) ?? null,
    value,
    max: await degrees(join(chip, `${sensor}_max`)),
    crit: await degrees(join(chip, `${sensor}_crit`)),
    sensor,
  };
}

async function degrees(path: string): Promise<number | null> {
  const text = await readSmallFile(path);
  return text === undefined || !/^-?\d+$/.test(text) ? null : Number(text) / 1000;
}

async function deviceOf(chip: string): Promise<string> {
  try {
    return basename(await realpath(join(chip, 'device')));
  } catch {
    return '';
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

function numberIn(name: string): number {
  return Number(/\d+$/.exec(name)?.[0] ?? 0);
}
function byNumber(one: string, other: string): number {
  return numberIn(one) - numberIn(other);
}
