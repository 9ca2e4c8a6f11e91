// The steps of an update as sentences for its readers. Addresses are shown without passwords and tokens,
// because every subscriber of events receives these texts.

import { withoutSecrets } from '../shown-address.ts';
import { ListStatus, type ListOutcome, type UpdateProgress } from './update-progress.ts';

export function progressText(progress: UpdateProgress): string {
  switch (progress.step) {
    case 'fetching':
      return `List ${progress.listId}: fetching ${withoutSecrets(progress.address)}`;
    case 'retrying':
      return `List ${progress.listId}: ${progress.reason} Retry in ${Math.ceil(progress.waitMs / 1000)} s`;
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
