// Lists added by a version that did not record rights (`earlier`) have the rights of sudo. After an upgrade
// they may therefore no longer be fetched from this machine or its link. One message and one log line name
// all such lists and the setting that allows them, instead of one message per list.

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
  /** Names for the message, by list id. */
  readonly #refused = new Map<number, string>();
  /** The current message; undefined until the first report, because an earlier run may have left one. */
  #message: string | undefined;

  constructor(parts: EarlierListsParts) {
    this.#parts = parts;
  }

  /** Records the outcomes of an update. */
  async note(outcomes: readonly (readonly [Noted, ListOutcome])[]): Promise<void> {
    const earlier = outcomes.filter(([{ added_with }]) => added_with === 'earlier');
    for (const [list, outcome] of earlier) {
      const name = `list ${list.id} (${withoutSecrets(list.address)})`;
      if (isRefusedEarlier(list, outcome)) this.#refused.set(list.id, name);
      else this.#refused.delete(list.id);
    }
    if (earlier.length > 0) await this.#report();
  }

  /** Call when a list is deleted or disabled. */
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
    log.warn('Lists of an earlier version lead to this machine or its link and are no longer fetched', {
      lists: names,
      setting: 'lists.allowLocal',
    });
    return messages.put(topic, '', 'LIST', message);
  }
}

function messageAbout(names: string): string {
  return (
    `Lists of an earlier version lead to this machine or its link and are no longer fetched: ${names}. ` +
    'Their last copies stay in force. Set lists.allowLocal to fetch them again, or remove them.'
  );
}
