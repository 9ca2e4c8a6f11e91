// How `sluice domains` is called; the files beside this one do it. Without a further word it lists.

import { Option, type Command } from 'commander';
import type { CommandContext } from '../context.ts';
import type { ShowOptions } from '../listing.ts';
import {
  commentOption,
  enableOptions,
  forOption,
  groupOption,
  defaultCommand,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { addDomains, type AddOptions } from './add.ts';
import { listDomains } from './list.ts';
import { placeOptions, type PlaceOptions } from './place.ts';
import { removeDomains } from './remove.ts';
import { setDomains, type SetOptions } from './set.ts';

export const registerDomains = (program: Command, context: CommandContext): void => {
  const domains = program.command('domains').description('domains that you deny or allow yourself');
  withExamples(domains, 'sluice domains', 'sluice domains add ads.example.com', moreExamples.allow);
  registerList(domains, context);
  registerAdd(domains, context);
  registerSet(domains, context);
  registerRemove(domains, context);
};

const moreExamples = {
  below: "sluice domains add ads.example.com '*.tracker.example.net'",
  important: "sluice domains add --allow '*.example.com;important'",
  allow: 'sluice domains add --allow shop.example.com --for 2h',
  regex: "sluice domains add --regex '^ads[0-9]+\\.' --group Children --group Guests",
} as const;

const registerList = (domains: Command, context: CommandContext): void => {
  const list = defaultCommand(domains, 'list').description('list domains (the default)');
  withExamples(list, 'sluice domains list --allow', 'sluice domains list --deny --regex --json');
  withOptions(list, [...placeOptions(), jsonOption()]).action(async (options: PlaceOptions & ShowOptions) =>
    context.end(await listDomains(context, options)),
  );
};

const registerAdd = (domains: Command, context: CommandContext): void => {
  const add = domains
    .command('add <domain...>')
    .description('deny domains, or allow them; *.x is x and everything below');
  withExamples(add, moreExamples.below, moreExamples.allow, moreExamples.regex, moreExamples.important);
  withOptions(add, [
    new Option('--deny', 'block them (the default)').conflicts('allow'),
    new Option('--allow', 'never block them'),
    new Option('--exact', 'just these domains (the default)').conflicts('regex'),
    new Option('--regex', 'they are regular expressions'),
    commentOption(),
    groupOption('the group it is for, instead of the default group'),
    forOption('only for a while'),
    new Option('--disabled', 'add it switched off'),
  ]).action(async (texts: string[], options: AddOptions) =>
    context.end(await addDomains(context, texts, options)),
  );
};

const registerSet = (domains: Command, context: CommandContext): void => {
  const set = domains.command('set <domain...>').description('change entries');
  withExamples(
    set,
    'sluice domains set ads.example.com --disable',
    'sluice domains set shop.example.com --allow --for 1d',
  );
  withOptions(set, [
    ...placeOptions(),
    commentOption(),
    groupOption('the group it is for from now on'),
    forOption('how long it lasts from now on').conflicts('forever'),
    new Option('--forever', 'let it not end'),
    ...enableOptions(),
  ]).action(async (texts: string[], options: SetOptions) =>
    context.end(await setDomains(context, texts, options)),
  );
};

const registerRemove = (domains: Command, context: CommandContext): void => {
  const remove = domains.command('remove <domain...>').description('remove entries');
  withExamples(remove, 'sluice domains remove ads.example.com', "sluice domains remove --regex '^ads'");
  withOptions(remove, placeOptions()).action(async (texts: string[], options: PlaceOptions) =>
    context.end(await removeDomains(context, texts, options)),
  );
};
