// The door of the wire room: DNS messages as bytes. Nothing here does I/O, reads a clock or throws.

export { accept, accepted, HEADER_BYTES, ignored, writeHeaderError } from './accept.ts';
export { AnswerWriter } from './answer-writer.ts';
export { Class, Ede, EdnsOption, Flag, Rcode, Section, Type } from './codes.ts';
export { fit } from './fit.ts';
export {
  additionalCount,
  answerCount,
  authorityCount,
  extendedError,
  fullRcodeOf,
  lowestTtl,
  messageFlags,
  messageId,
  negativeTtl,
  optOf,
  questionCount,
  questionEndOf,
  rcodeOf,
  sameQuestion,
  sameQuestionAnyCase,
  ttlOffsets,
} from './message.ts';
export { questionName } from './name-compressor.ts';
export { hashName } from './name-hash.ts';
export { nameFromText, nameToText } from './name-text.ts';
export {
  isBelowOrSame,
  lowerCase,
  MAX_NAME_BYTES,
  NAME_BUFFER_BYTES,
  nameLengthOf,
  namesEqual,
  readName,
  readNameAsWritten,
  skipName,
} from './names.ts';
export { MIN_UDP_BYTES, QueryView } from './query-view.ts';
export { writeQuery } from './query-writer.ts';
export { RecordCursor } from './record-cursor.ts';
export { SvcParamCursor, SvcParamKey } from './svcb.ts';
export { ipv4Text, ipv6Text } from './text/address-text.ts';
export { classText, rcodeText, typeFromText, typeText } from './text/code-text.ts';
export { dataText, recordText } from './text/record-text.ts';
export { copyWithoutOpt } from './without-opt.ts';
