// A query that nobody has sent: the functions that answer clients are called with it, so that an explanation
// shows the very answer that a client would get, and what they would record goes nowhere.

import type { Verdict } from '#policy';
import { Class, writeQuery } from '#wire';
import { answerOddity } from '../answer/answer.ts';
import { QueryContext } from '../answer/query-context.ts';
import type { LocalAddress } from '../query-source.ts';
import { answerBlocked } from '../answer/blocked.ts';
import { answerLocal, answerNoData, answerOwnForm, undecided } from '../answer/local-answers.ts';
import type { LocalName } from '../local/local-name.ts';
import { countersBytes } from '../record/counters.ts';
import { Origin } from '../record/layout.ts';
import { makeRecordRing, RecordWriter } from '../record/record-ring.ts';
import { AnswerFacts, Recorder } from '../answer/recorder.ts';
import type { EngineState } from '../state.ts';
import type { AnswerLook, Inquiry } from './explained.ts';
import { toldOwnAnswer } from './told-answer.ts';

const largestAnswer = 65_535;
const queryBytes = 512;
/** Names of ours are answered with the addresses of this machine, for lack of one that was asked. */
const nowhere: LocalAddress = { text: '', bytes: new Uint8Array(0) };

export class DryRun {
  readonly asked: QueryContext;
  readonly #state: EngineState;
  readonly #out = new Uint8Array(largestAnswer);

  constructor(engine: EngineState, { name, type }: Inquiry, groups: number) {
    this.#state = withoutRecords(engine);
    this.asked = this.#state.asked;
    const query = new Uint8Array(queryBytes);
    const length = writeQuery(query, 0, 0, 0, name, type, Class.IN, 0, false);
    this.asked.view.read(query, 0, length);
    this.asked.transport = 'tcp';
    this.asked.local = nowhere;
    this.asked.groups = groups;
    this.asked.out = this.#out;
    this.asked.outBytes = this.#out.length;
  }

  /** Types that are no types of records. */
  oddity(): AnswerLook {
    return toldOwnAnswer(this.#out, answerOddity(this.#state, this.asked));
  }

  /** Undefined when others have to be asked, perhaps for `asked.target`. */
  local(known: LocalName): AnswerLook | undefined {
    return this.#told(answerLocal(this.#state, this.asked, known));
  }

  blocked(verdict: Verdict): AnswerLook {
    this.asked.verdict = verdict;
    return toldOwnAnswer(this.#out, answerBlocked(this.#state, this.asked, Origin.blocked));
  }

  /** By a rule that gives an answer of its own; undefined as in `local`. */
  ownForm(verdict: Verdict): AnswerLook | undefined {
    this.asked.verdict = verdict;
    return this.#told(answerOwnForm(this.#state, this.asked));
  }

  noData(): AnswerLook {
    return toldOwnAnswer(this.#out, answerNoData(this.#state, this.asked));
  }

  #told(length: number): AnswerLook | undefined {
    return length === undecided ? undefined : toldOwnAnswer(this.#out, length);
  }
}

/** The state of the engine as it is now; what is recorded goes into memory that nobody reads. */
function withoutRecords(engine: EngineState): EngineState {
  const { compiled, policy, clients, cache, keeper, composer, inspector, pending, forwarder } = engine;
  const { hashSeed, lateAsked, nowMs, nowSeconds } = engine;
  return {
    compiled,
    policy,
    clients,
    cache,
    keeper,
    composer,
    inspector,
    pending,
    forwarder,
    hashSeed,
    lateAsked,
    nowMs,
    nowSeconds,
    recorder: new Recorder(new RecordWriter(makeRecordRing(0)), new SharedArrayBuffer(countersBytes)),
    asked: new QueryContext(hashSeed),
    facts: new AnswerFacts(),
    readClocks: () => undefined,
    forward: () => undecided,
    refreshLater: () => undefined,
  };
}
