// The door of the hardware: the kernel's information about the machine and its sensors.

export { readHost } from './host.ts';
export { readSensors } from './sensors.ts';
export { memoryPercent, readSystem, readTicks } from './system.ts';
