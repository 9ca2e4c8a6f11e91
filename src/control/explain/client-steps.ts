// The first step of an explanation: which configured client sends the query, and how it was identified.

import { readClient } from '../clients/client-text.ts';
import type { StepOf, ExplanationInput } from './explanation-input.ts';

const foundTexts: Readonly<Record<StepOf<'client'>['found_by'], string>> = {
  address: 'by its address',
  mac: 'by its MAC address',
  hostName: 'by its host name',
  range: 'by the range that its address is in',
  interface: 'by the interface that leads to it',
  nothing: '',
};

export function clientStep({
  asked,
  explained: { client, decidedBy },
  read,
}: ExplanationInput): StepOf<'client'> {
  const configured = client.configured === '' ? null : client.configured;
  const comment = configured === null ? null : (read.clients.get(configured)?.comment ?? null);
  const step = {
    address: asked.client,
    configured,
    found_by: client.foundBy,
    comment,
    mac: client.mac ?? null,
    host_name: client.hostName ?? null,
    interface: client.interface ?? null,
    answered: client.isAnswered,
  };
  const text = `${textOf(step)}${onlyText(asked.client)}`;
  return { step: 'client', decides: decidedBy === 'client', text, ...step };
}

/** When the request names the client by anything but an address, its other properties are unknown. */
const onlyTexts = {
  mac: ' Only this MAC address was considered: a client configured by address would take precedence.',
  host:
    ' Only this name was considered: a client configured by address or MAC address would take precedence. ' +
    'Use the address of the device to see what applies to it.',
  interface: ' Only this interface was considered: any other configured client would take precedence.',
} as const;

function onlyText(client: string): string {
  const read = readClient(client);
  return read === undefined || 'words' in read ? '' : onlyTexts[read.kind];
}

function textOf(
  step: Pick<StepOf<'client'>, 'address' | 'configured' | 'found_by' | 'comment' | 'answered'>,
): string {
  const { address, configured, found_by, comment, answered } = step;
  if (!answered)
    return `${address} is outside this network and is refused; dns.listeningMode = "ALL" changes that.`;
  if (configured === null) return `${address} is not configured: the default group applies.`;
  const name = comment === null ? configured : `${configured} (${comment})`;
  return configured === address && comment === null
    ? `${address} is a configured client.`
    : `${address} is the client ${name}, found ${foundTexts[found_by]}.`;
}
