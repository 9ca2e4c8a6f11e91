// Groups in replies: with the current state of their schedules. The list of all groups is cached as JSON
// text, like other collections, but only until a schedule switches the next group on or off.

import type { ReplyBody, SerialisedBody } from '#contract';
import { nextScheduleChange, scheduleStateOf } from '#control/blocking';
import type { Collection } from '#store/database';
import type { Group } from '#store/database/entities';

type Shown = ReplyBody<'getGroup', 200>['groups'][number];

export function presentGroup(group: Group, nowSeconds: number): Shown {
  const { isActive, nextChangeSeconds } = scheduleStateOf(group, nowSeconds);
  const { privacy, ...known } = group;
  return {
    ...known,
    schedules: group.schedules.map((schedule) => ({ ...schedule, days: [...schedule.days] })),
    schedule: { active: isActive, next_change: nextChangeSeconds },
    privacy,
  };
}

interface Kept {
  readonly body: SerialisedBody;
  readonly version: number;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

export class GroupsReply {
  readonly #groups: Collection<Group>;
  #kept: Kept | undefined;

  constructor(groups: Collection<Group>) {
    this.#groups = groups;
  }

  at(nowSeconds: number): SerialisedBody {
    const kept = this.#kept;
    if (kept !== undefined && this.#isFresh(kept, nowSeconds)) return kept.body;
    const groups = this.#groups.filter(() => true);
    const shown = groups.map((group) => presentGroup(group, nowSeconds));
    const body = { openJson: `{"groups":${JSON.stringify(shown)}` };
    const untilSeconds = nextScheduleChange(groups, nowSeconds);
    this.#kept = { body, version: this.#groups.version, fromSeconds: nowSeconds, untilSeconds };
    return body;
  }

  #isFresh({ version, fromSeconds, untilSeconds }: Kept, nowSeconds: number): boolean {
    return version === this.#groups.version && nowSeconds >= fromSeconds && nowSeconds < untilSeconds;
  }
}
