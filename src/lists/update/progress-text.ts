// The steps of an update in words, for people who watch it. Passwords and tokens in addresses stay out: what
// is told here goes to everybody who listens.

import { withoutSecrets } from '../shown-address.ts';
import { ListStatus, type ListOutcome, type UpdateProgress } from './update-progress.ts';

export function progressText(progress: UpdateProgress): string {
  switch (progress.step) {
    case 'fetching':
      return `List ${progress.listId}: fetching ${withoutSecrets(progress.address)}`;
    case 'retrying':
      return `List ${progress.listId}: ${progress.reason} Next try in ${Math.ceil(progress.waitMs / 1000)} s`;
    case 'examining':
      return `List ${progress.listId}: reading ${progress.unpackedBytes} bytes`;
    case 'finished':
      return `List ${progress.listId}: ${outcomeText(progress.outcome)}`;
    case 'compiling':
      return `Compiling ${progress.lists} lists`;
    case 'deploying':
      return `Putting ${progress.names} names in force`;
    case 'compiled':
      return progress.problem ?? `${progress.names} names are in force`;
  }
}

function outcomeText({ status, reason, report }: ListOutcome): string {
  const entries = `${report?.entries ?? 0} entries`;
  switch (status) {
    case ListStatus.downloaded:
      return `downloaded, ${entries}`;
    case ListStatus.unchanged:
      return `unchanged, ${entries}`;
    case ListStatus.unavailableWithCopy:
      return `${reason} An older copy stays in force, ${entries}`;
    default:
      return reason;
  }
}
