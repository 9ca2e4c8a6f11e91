// The list that every database begins with, so that a fresh installation blocks what most people want
// blocked. Whoever does not want it switches it off or deletes it; it does not come back by itself.

export const defaultSubscription = {
  address: 'https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts',
  comment: 'Advertising, tracking and malware; the default list',
} as const;
