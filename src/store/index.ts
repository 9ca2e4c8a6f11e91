// The light door of the store: what its folders share and others need without loading the database.

export { type Schedule, secondsOfDay, type WeekDay, weekDays } from './schedule.ts';
export { secretMask } from './secret-mask.ts';
