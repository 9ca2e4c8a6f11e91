// The door of the contract room: every setting, endpoint, error and limit that others rely on.

export { endpoints, type EndpointName, type Endpoints } from './api/table.ts';
export { longTermTypeNames, queryTypeNames, queryTypes } from './api/history-words.ts';
export { maxKey } from './api/shared.ts';
export { eventTypes, type EventType } from './api/events.ts';
export { entities, nameFields, type EntityName } from './entities.ts';
export { healthParts, type HealthPart } from './health-parts.ts';
export type { ReplyBody } from './client/client.ts';
export {
  type Endpoint,
  type Input,
  type LiveBody,
  type Method,
  type Outcome,
  type PushedBody,
  type PushTarget,
  type SerialisedBody,
  type WriteFailure,
} from './endpoint.ts';
export { errors, fail, type ErrorName, type Failure } from './errors/errors.ts';
export {
  formatIpv4Tail,
  formatIpv6Groups,
  isIpAddress,
  isIpv4Mapped,
  isIpv4Text,
  parseIpv6Text,
} from './ip-text.ts';
export { limits } from './limits.ts';
export {
  formatListenAddress,
  formatListenHost,
  parseListenAddresses,
  type ListenAddress,
} from './listen-address.ts';
export { dnsmasqCounts } from './api/machine.ts';
export { metricFamilies, type MetricFamily, type MetricName } from './metrics.ts';
export { nearest } from './nearest.ts';
export { openApiDocument } from './openapi.ts';
export { queryDnssecNames, queryReplyNames, queryStatusNames } from './query-names.ts';
export { csrfHeaders, sidHeaders } from './session-headers.ts';
export type { Setting, SettingValue } from './settings/declare.ts';
export { settingEntries, settingTopics, type Settings } from './settings/settings.ts';
export { environmentName, nest, type SettingEntry, type SettingsTreeValue } from './settings/values.ts';
