// The first step of an explanation: who asks, which configured client that is, and by what it was found.

import { readClient } from '../clients/client-text.ts';
import type { StepOf, ExplanationInput } from './explanation-input.ts';

const foundTexts: Readonly<Record<StepOf<'client'>['found_by'], string>> = {
  address: 'by its address',
  mac: 'by its MAC address',
  hostName: 'by its host name',
  range: 'by the range that its address is in',
  interface: 'by the interface it is reached by',
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

/** Of a device that is asked about by something else than an address nothing else is known. */
const onlyTexts = {
  mac: ' Only this MAC address was looked at: an entry for an address of the device would stand before it.',
  host:
    ' Only this name was looked at: an entry for an address or the MAC address of the device would stand ' +
    'before it. Ask with its address to see what holds for it.',
  interface: ' Only this interface was looked at: any other entry for a device stands before it.',
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
    return `${address} is outside of this network and is refused; dns.listeningMode = "ALL" changes that.`;
  if (configured === null) return `${address} is not configured: what holds is what the default group has.`;
  const name = comment === null ? configured : `${configured} (${comment})`;
  return configured === address && comment === null
    ? `${address} is a configured client.`
    : `${address} is the client ${name}, found ${foundTexts[found_by]}.`;
}
