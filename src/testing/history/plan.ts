// For tests: a history plan that keeps everything; tests override single fields.

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
