// The parts of the running api thread, and the few values of it that change.

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
import type { DatabaseMaintenance } from './database-maintenance.ts';
import type { LazyLists } from './lazy-lists.ts';
import type { CertificatePublisher } from './certificate-publisher.ts';
import type { WebServers } from './web-servers.ts';

export interface Api {
  readonly log: Log;
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly auth: Authenticator;
  readonly blocking: BlockingSwitch;
  readonly pauses: Pauses;
  readonly servers: WebServers;
  readonly tls: CertificatePublisher;
  readonly maintenance: DatabaseMaintenance;
  /** Publishes plans to the dns workers. */
  readonly dns: PlanPublisher;
  readonly lists: LazyLists;
  /** Events inside this thread. */
  readonly events: EventHub;
  /** The clients that receive events over HTTP. */
  readonly streams: EventStreams;
  /** Records and counters of the dns workers. */
  readonly traces: DnsTraceReader;
  readonly history: HistoryClient;
  /** Problems that the history thread has reported. */
  readonly situations: Map<SituationName, string>;
  /** The devices of the network, by address. */
  readonly devices: DeviceDirectory;
  /** Clients that have sent queries, from the history. */
  readonly seen: () => Promise<readonly SeenClient[]>;
  /** Current problems of the service. */
  readonly health: Degradations;
  /** Counts HTTP requests for the metrics. */
  readonly requests: RequestCounts;
  /** The password that this start has generated, to be shown once. */
  readonly password: string | undefined;
  threads: readonly ThreadStatus[];
  phase: Phase;
  /** Requests that wait for the outcome of a restart. */
  restarting: number;
}
