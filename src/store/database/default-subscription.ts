// The lists of a new database: a small built-in list, so that something is blocked before the first download,
// and a subscription to a list that suits most users. A user can disable or delete both; the service does not
// add them again.

export const builtInList = {
  address: 'sluice:built-in',
  comment: 'Well-known advertising and tracking hosts; built in',
} as const;

export const defaultSubscription = {
  address: 'https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts',
  comment: 'Advertising, tracking and malware; the default list',
} as const;
