// What the api thread holds while it runs: the parts that were wired together, and the little that changes.

import type { Door } from '../auth/door.ts';
import type { DeviceDirectory } from '../clients/device-directory.ts';
import type { SeenClient } from '../clients/seen-clients.ts';
import type { DnsFeeder } from '../dns/feeder.ts';
import type { DnsTraceReader } from '../dns/trace-reader.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { Degradations } from '../health/degradations.ts';
import type { HistoryClient } from '../history-thread/client.ts';
import type { SituationName } from '../history-thread/protocol.ts';
import type { Phase } from '../http/gate.ts';
import type { Log } from '../log/log.ts';
import type { RequestCounts } from '../metrics/request-counts.ts';
import type { Pauses } from '../pauses/pauses.ts';
import type { BlockingSwitch } from '../settings/blocking-switch.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { Storage } from '../storage/storage.ts';
import type { ThreadStatus } from '../threads/thread-status.ts';
import type { DatabaseCare } from './database-care.ts';
import type { LazyLists } from './lazy-lists.ts';
import type { TlsKeeper } from './tls-keeper.ts';
import type { WebServers } from './web-servers.ts';

export interface Api {
  readonly log: Log;
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly door: Door;
  readonly blocking: BlockingSwitch;
  readonly pauses: Pauses;
  readonly servers: WebServers;
  readonly tls: TlsKeeper;
  readonly care: DatabaseCare;
  /** Tells the dns workers how to answer. */
  readonly dns: DnsFeeder;
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
