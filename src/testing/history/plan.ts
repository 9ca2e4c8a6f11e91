// For tests only: a plan of history that keeps everything, to be changed where a test is about something.

import type { HistoryPlan } from '../../history/thread/history-plan.ts';

export const everything: HistoryPlan = {
  privacyLevel: 0,
  leaveOutDomains: [],
  leaveOutClients: [],
  days: 91,
  megabytes: 0,
  blockedDays: 0,
  allowedDays: 0,
};
