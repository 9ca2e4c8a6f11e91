// What the api thread holds while it runs: the parts that were wired together, and the little that changes.

import type { Authenticator } from '#api/auth';
import type { DeviceDirectory } from '#control/clients';
import type { HistoryClient, SeenClient, SituationName } from '#history/thread';
import type { PlanPublisher, DnsTraceReader } from '#control/plan';
import type { EventHub, EventStreams } from '#api/events';
import type { Degradations } from '#control/health';
import type { Phase } from '#api/http';
import type { Log } from '#platform/log';
import type { RequestCounts } from '#api/metrics';
import type { BlockingSwitch, Pauses } from '#control/blocking';
import type { LiveSettings } from '#store/settings';
import type { Storage } from '#store/database';
import type { ThreadStatus } from '#platform/threads';
import type { DatabaseCare } from './database-care.ts';
import type { LazyLists } from './lazy-lists.ts';
import type { TlsKeeper } from './tls-keeper.ts';
import type { WebServers } from './web-servers.ts';

export interface Api {
  readonly log: Log;
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly auth: Authenticator;
  readonly blocking: BlockingSwitch;
  readonly pauses: Pauses;
  readonly servers: WebServers;
  readonly tls: TlsKeeper;
  readonly care: DatabaseCare;
  /** Tells the dns workers how to answer. */
  readonly dns: PlanPublisher;
  readonly lists: LazyLists;
  /** What happens, for whoever listens. */
  readonly events: EventHub;
  /** Those who listen over HTTP. */
  readonly streams: EventStreams;
  /** What the dns workers have done. */
  readonly traces: DnsTraceReader;
  /** What was asked and answered before. */
  readonly history: HistoryClient;
  /** What the history thread finds wrong. */
  readonly situations: Map<SituationName, string>;
  /** Who has asked. */
  readonly devices: DeviceDirectory;
  readonly seen: () => Promise<readonly SeenClient[]>;
  /** What is wrong with the service. */
  readonly health: Degradations;
  /** What was answered over HTTP. */
  readonly requests: RequestCounts;
  /** The password that was generated just now, to be shown once. */
  readonly password: string | undefined;
  threads: readonly ThreadStatus[];
  phase: Phase;
  /** Requests that wait for the outcome of a restart. */
  restarting: number;
}
