// The door of the wire room: DNS messages as bytes. Nothing here does I/O, reads a clock or throws.

export { accept, HEADER_BYTES, ignored, writeHeaderError } from './accept.ts';
export { AnswerWriter } from './answer-writer.ts';
export { copyBytes, putU16, putU32, readTtl, u16, u32 } from './bytes.ts';
export { Class, Ede, Flag, Rcode, Section, Type } from './codes.ts';
export { copyKept } from './copy-kept.ts';
export { copyDataInFull } from './data-names.ts';
export {
  additionalCount,
  extendedError,
  fullRcodeOf,
  MAX_MESSAGE_BYTES,
  messageFlags,
  rcodeOf,
  ttlOffsets,
} from './message.ts';
export { MessageCheck } from './message-check.ts';
export { questionName } from './name-compressor.ts';
export { endingMark, hashName } from './name-hash.ts';
export { nameFromText, nameToText } from './name-text.ts';
export {
  isBelowOrSame,
  lowerCase,
  MAX_LABEL_BYTES,
  MAX_NAME_BYTES,
  MAX_NAME_CHARACTERS,
  NAME_BUFFER_BYTES,
  nameLengthOf,
  namesEqual,
  readName,
  readNameAsWritten,
  skipName,
} from './names.ts';
export { QueryView } from './query-view.ts';
export { writeQuery } from './query-writer.ts';
export { RecordCursor } from './record-cursor.ts';
export { SvcParamCursor, SvcParamKey } from './svcb.ts';
export { ipBytes, writeIpv4, writeIpv6 } from './text/address-bytes.ts';
export { addressText, ipText, ipv4Text, ipv6Text, isMappedIpv4 } from './text/address-text.ts';
export { typeFromText, typeText } from './text/code-text.ts';
export { recordText } from './text/record-text.ts';
export { copyWithoutOpt } from './without-opt.ts';
