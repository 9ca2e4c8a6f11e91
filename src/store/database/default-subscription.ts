// The lists that every database begins with: a small one that is built in, so that something is blocked
// before the first download, and one subscription to what most people want blocked. Whoever does not want
// one switches it off or deletes it; it does not come back by itself.

export const builtInList = {
  address: 'sluice:built-in',
  comment: 'Well-known advertising and tracking hosts; built in',
} as const;

export const defaultSubscription = {
  address: 'https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts',
  comment: 'Advertising, tracking and malware; the default list',
} as const;
