// Lists from before rights were recorded (`earlier`) follow the rules of sudo, so an upgrade can end the
// fetching of one that leads to this machine or its link. One message and one log line name all such lists
// and the setting that allows them, in place of a message for each list.

import type { Log } from '#platform/log';
import type { MessageBoard } from '#store/database';
import type { StoredList } from '#store/database/entities';
import { withoutSecrets } from '../shown-address.ts';
import type { ListOutcome } from './update-progress.ts';

export interface EarlierListsParts {
  readonly messages: Pick<MessageBoard, 'put' | 'clear'>;
  readonly log: Log;
}

type Noted = Pick<StoredList, 'id' | 'address' | 'added_with'>;

const topic = 'earlier lists refused';

export function isRefusedEarlier({ added_with }: Noted, { isOutOfReach }: ListOutcome): boolean {
  return added_with === 'earlier' && isOutOfReach;
}

export class EarlierLists {
  readonly #parts: EarlierListsParts;
  /** How each is named, by its id. */
  readonly #refused = new Map<number, string>();
  /** The message as it is; undefined while it may be one of the run before. */
  #message: string | undefined;

  constructor(parts: EarlierListsParts) {
    this.#parts = parts;
  }

  /** What an update found. */
  async note(found: readonly (readonly [Noted, ListOutcome])[]): Promise<void> {
    const ours = found.filter(([{ added_with }]) => added_with === 'earlier');
    for (const [list, outcome] of ours) {
      const name = `list ${list.id} (${withoutSecrets(list.address)})`;
      if (isRefusedEarlier(list, outcome)) this.#refused.set(list.id, name);
      else this.#refused.delete(list.id);
    }
    if (ours.length > 0) await this.#report();
  }

  /** A list that is deleted or switched off needs no report. */
  async forget({ id, added_with }: Noted): Promise<void> {
    this.#refused.delete(id);
    if (added_with === 'earlier') await this.#report();
  }

  async #report(): Promise<void> {
    const names = [...this.#refused.values()].join(', ');
    const message = names === '' ? '' : messageAbout(names);
    if (message === this.#message) return;
    this.#message = message;
    const { messages, log } = this.#parts;
    if (message === '') return messages.clear(topic, '');
    log.warn(
      'Lists of an earlier version may no longer reach this machine or its link, and are not fetched',
      {
        lists: names,
        setting: 'lists.allowLocal',
      },
    );
    return messages.put(topic, '', 'LIST', message);
  }
}

function messageAbout(names: string): string {
  return (
    `Lists of an earlier version lead to this machine or its link and are not fetched any more: ${names}. ` +
    'Their last copies stay in force. Set lists.allowLocal to fetch them again, or remove them.'
  );
}
