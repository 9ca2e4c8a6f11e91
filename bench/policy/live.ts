// What people wait for with a million names in force: a rule of their own, a start, and answers while the
// lists are compiled.

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
/** Many: a host that takes cores away for milliseconds, as some do, decides what few of them show. */
const ROUNDS = 11;
const RATE = 10_000;
const SECONDS = 2;
const QUESTIONS = 20_000;

/** From the request to the answer that shows it; the reply has arrived by then, so it is in force with it. */
export async function ruleRow(sluice: Sluice): Promise<Row> {
  const milliseconds: number[] = [];
  for (let index = 0; index < RULES; index++) {
    const name = `own${index}.rule.example`;
    const startedMs = performance.now();
    await addRule(sluice, name);
    await untilAnswered(sluice.port, name, isBlocked);
    milliseconds.push(performance.now() - startedMs);
  }
  return amountRow('policy: own rule by API until an answer shows it', median(milliseconds), 'ms', 50);
}

/** Of a service that has stopped and left its lists compiled. */
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

/** At rest and during rebuilds in turn; a rebuild that ends early is followed by the next. */
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
  const told = `${late.toFixed(2)} ms / ${calm.toFixed(2)} ms at ${RATE / 1000},000/s`;
  return factorRow('policy: p99 lateness during a rebuild over rest', late / calm, told, 2);
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
