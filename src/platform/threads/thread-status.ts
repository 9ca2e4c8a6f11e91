// The supervisor's information about a thread, for status, health and metrics.

export interface ThreadStatus {
  readonly name: string;
  readonly state: 'idle' | 'starting' | 'running' | 'waiting' | 'stopping';
  readonly restarts: number;
  readonly lastFailure: string | undefined;
}
