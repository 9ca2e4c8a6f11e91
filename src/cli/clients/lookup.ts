// Finds a client by the text that configures it, or by its comment. Any other text is sent unchanged, because
// an address need not be configured.

import type { ControlClient } from '../control.ts';
import { reasonOf } from '../failure.ts';
import { printable, quoted } from '../printable.ts';

type Found = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

export async function findClient(call: ControlClient, text: string): Promise<Found> {
  const reply = await call('getClients');
  if (!reply.ok) return { ok: false, problem: `The clients cannot be read: ${reasonOf(reply)}` };
  const { clients } = reply.body;
  const wanted = text.toLowerCase();
  const withComment = clients.filter(({ comment }) => comment?.toLowerCase() === wanted);
  const [only] = withComment;
  if (only === undefined || clients.some(({ client }) => client.toLowerCase() === wanted))
    return { ok: true, value: text };
  if (withComment.length === 1) return { ok: true, value: only.client };
  const choice = withComment.map(({ client }) => printable(client)).join(', ');
  return {
    ok: false,
    problem: `Several clients have the comment ${quoted(text)}. Use one of these instead: ${choice}.`,
  };
}
