// The door of blocking: the switch with its timer, pauses and schedules of groups.

export { type BlockingState, BlockingSwitch } from './blocking-switch.ts';
export { nextScheduleChange, scheduleStateOf } from './group-schedules.ts';
export { nextPauseEndSeconds, pausedGroups } from './pauses-in-force.ts';
export { Pauses } from './pauses.ts';
export { readSchedules, type ScheduleSent } from './read-schedules.ts';
