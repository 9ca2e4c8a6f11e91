// Handlers of diagnosis messages: situations that a user should know about, as text and as HTML. Existing
// pages insert the HTML unchanged, so it is escaped here.

import { fail, limits } from '#contract';
import type { Handlers, Request } from '../http/handler.ts';
import { type MessageBoard, writeFailure } from '#store/database';

type Names = 'getMessages' | 'countMessages' | 'deleteMessages';

export function createMessageHandlers(board: MessageBoard): Pick<Handlers, Names> {
  return {
    getMessages: async () => {
      const messages = (await board.list()).map(({ id, atMs, type, plain }) => ({
        id,
        timestamp: atMs / 1000,
        type,
        plain,
        html: escaped(plain),
      }));
      return { status: 200, body: { messages } };
    },
    countMessages: async () => ({ status: 200, body: { count: await board.count() } }),
    deleteMessages: (request) => deleteMessages(board, request),
  };
}

async function deleteMessages(board: MessageBoard, { params }: Request<'deleteMessages'>) {
  const ids = params.ids
    .split(',')
    .filter((text) => /^\d{1,15}$/.test(text.trim()))
    .map(Number)
    .slice(0, limits.itemsPerRequest);
  const removed = ids.length === 0 ? 0 : await board.remove(ids);
  if (typeof removed !== 'number') return writeFailure(removed);
  return removed === 0 ? fail('notFound', params.ids) : { status: 204 as const };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
