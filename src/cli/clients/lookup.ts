// Clients by what people call them: the text that configures one, or else the comment that they gave it. A
// text that is neither is sent as it is, because an address need not be configured.

import type { ControlClient } from '../control.ts';
import { reasonOf } from '../failure.ts';
import { printable, quoted } from '../printable.ts';

type Found = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

export const clientNamed = async (call: ControlClient, text: string): Promise<Found> => {
  const reply = await call('getClients');
  if (!reply.ok) return { ok: false, problem: `The clients were not found: ${reasonOf(reply)}` };
  const { clients } = reply.body;
  const wanted = text.toLowerCase();
  const called = clients.filter(({ comment }) => comment?.toLowerCase() === wanted);
  const [only] = called;
  if (only === undefined || clients.some(({ client }) => client.toLowerCase() === wanted))
    return { ok: true, value: text };
  if (called.length === 1) return { ok: true, value: only.client };
  const choice = called.map(({ client }) => printable(client)).join(', ');
  return { ok: false, problem: `Several clients are called ${quoted(text)}. Name one of them: ${choice}.` };
};
