// Where our own questions to our own DNS come from: the same machine as 127.0.0.1 (RFC 1122 section 3.2.1.3),
// but told apart from all that other programs on it ask, so that they are not taken for a client's.

export const ownAddress = '127.83.76.67';
