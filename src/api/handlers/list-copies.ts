// Handlers of the stored copies of a list: showing them, going back to one of them, and accepting a large
// change that was held. A successful reply means that the dns workers use the result.

import { fail } from '#contract';
import type { Handlers, Request } from '../http/handler.ts';
import type { ListService, StoredCopy } from '#lists/update';
import type { Storage } from '#store/database';
import { isFileAddress } from './list-address.ts';
import { presentList } from './list-reply.ts';
import { namedListsIn, noList, onlyOne } from './named-list.ts';

type Names = 'getListCopies' | 'useListCopy' | 'acceptList';
type Service = Pick<ListService, 'copiesOf' | 'useCopy' | 'accept'>;
type Built = Awaited<ReturnType<Service['accept']>>;

export interface ListCopiesParts {
  readonly read: Storage['read'];
  readonly lists: () => Promise<Service>;
}

type OneList = Pick<Request<'acceptList'>, 'params' | 'query'>;

export function createListCopiesHandlers(parts: ListCopiesParts): Pick<Handlers, Names> {
  return {
    getListCopies: async (request) => {
      const list = listOf(parts, request);
      if (list === undefined) return noList(request.params.list);
      if ('failure' in list) return list;
      const { copies, held } = (await parts.lists()).copiesOf(list);
      const { before = 0, after = 0, text = '' } = held ?? {};
      const body = {
        copies: copies.map((copy) => presentCopy(copy, isFileAddress(list.address))),
        held: held === undefined ? null : { before, after, text },
      };
      return { status: 200, body };
    },
    useListCopy: async (request) => {
      const list = listOf(parts, request);
      if (list === undefined) return noList(request.params.list);
      if ('failure' in list) return list;
      const built = await (await parts.lists()).useCopy(list, request.params.version);
      return reply(parts, request, built, `There is no whole copy ${request.params.version} of this list.`);
    },
    acceptList: async (request) => {
      const list = listOf(parts, request);
      if (list === undefined) return noList(request.params.list);
      if ('failure' in list) return list;
      const built = await (await parts.lists()).accept(list);
      return reply(parts, request, built, 'No change of this list is held.');
    },
  };
}

function listOf({ read }: ListCopiesParts, { params, query }: OneList) {
  return onlyOne(namedListsIn(read.lists, { address: params.list, type: query.type }));
}

function reply(parts: ListCopiesParts, request: OneList, built: Built, absent: string) {
  if (built === undefined) return fail('notFound', absent);
  if (!built.isBuilt) return fail('listsNotCompiled', built.problem ?? '');
  const list = listOf(parts, request);
  const lists = list === undefined || 'failure' in list ? [] : [presentList(list)];
  return { status: 200 as const, body: { lists, names: built.names } };
}

/** Sample lines of a file are not shown, because the caller may have no permission to read the file. */
function presentCopy(copy: StoredCopy, isFile: boolean) {
  return {
    version: copy.version,
    date_fetched: Math.floor(copy.fetchedMs / 1000),
    bytes: copy.unpackedBytes,
    stored_bytes: copy.fileBytes,
    lines: copy.report.lines,
    number: copy.report.entries,
    duplicates: copy.duplicates ?? null,
    skipped: copy.report.skipped,
    invalid_domains: copy.report.invalid,
    abp_entries: copy.report.formats.adblock,
    samples: isFile ? [] : [...copy.report.samples],
    in_force: copy.isInForce,
  };
}
