// The light door of the store: what other rooms need without loading the database.

export { type Schedule, secondsOfDay, type WeekDay, weekDays } from './schedule.ts';
export { secretMask } from './secret-mask.ts';
