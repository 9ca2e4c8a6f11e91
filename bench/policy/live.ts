// Waiting times with a million names in force: a new rule, a start, and answers while lists are compiled.

import { isBlocked, untilAnswered } from '../dns/question.ts';
import { lateness99 } from '../dns/load.ts';
import { launchSluice, type Sluice } from '../dns/sluice.ts';
import { amountRow, factorRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import { stop } from '../service.ts';
import { addRule, update } from './api.ts';
import { appendName, blockedName, writeQuestions } from './names.ts';

const RULES = 15;
const STARTS = 5;
/**
 * Many rounds, because some virtual machines lose their cores for milliseconds, which would dominate few
 * rounds.
 */
const ROUNDS = 11;
const RATE = 10_000;
const SECONDS = 2;
const QUESTIONS = 20_000;

/** From the request to the first answer that applies the rule. */
export async function ruleRow(sluice: Sluice): Promise<Row> {
  const milliseconds: number[] = [];
  for (let index = 0; index < RULES; index++) {
    const name = `own${index}.rule.example`;
    const startedMs = performance.now();
    await addRule(sluice, name);
    await untilAnswered(sluice.port, name, isBlocked);
    milliseconds.push(performance.now() - startedMs);
  }
  return amountRow('policy: new rule by API until an answer applies it', median(milliseconds), 'ms', 50);
}

/** A start with compiled lists from an earlier run. */
export async function startRow(launcher: string, folder: string, upstreamPort: number): Promise<Row> {
  const seconds: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    const startedMs = performance.now();
    const { child, port } = await launchSluice(launcher, { upstreamPort, workers: 1, folder });
    await untilAnswered(port, blockedName(1), isBlocked);
    seconds.push((performance.now() - startedMs) / 1000);
    await stop(child);
  }
  return amountRow('policy: start to the first filtered answer', median(seconds), 's', 1);
}

/** Alternates between idle and rebuilding; a rebuild that ends early is followed by another. */
export async function latenessRow(sluice: Sluice, file: string, names: number): Promise<Row> {
  const load = { port: sluice.port, names: writeQuestions(names, QUESTIONS), seconds: SECONDS, rate: RATE };
  const rest: number[] = [];
  const during: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rest.push(await lateness99(load, 'elsewhere'));
    const busy = lateness99(load, 'elsewhere');
    await Promise.all([busy, rebuildWhile(busy, sluice, file, round)]);
    during.push(await busy);
  }
  const [calm, late] = [median(rest), median(during)];
  const detail = `${late.toFixed(2)} ms / ${calm.toFixed(2)} ms at ${RATE / 1000},000/s`;
  return factorRow('policy: p99 latency during a rebuild against idle', late / calm, detail, 2);
}

async function rebuildWhile(
  busy: Promise<unknown>,
  sluice: Sluice,
  file: string,
  round: number,
): Promise<void> {
  const state = { isOver: false };
  void busy.finally(() => (state.isOver = true));
  for (let turn = 0; !state.isOver; turn++) {
    appendName(file, `late${round}-${turn}.rebuild.example`);
    await update(sluice);
  }
}
