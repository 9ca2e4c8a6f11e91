// The source address of this program's queries to its own DNS: the same machine as 127.0.0.1 (RFC 1122
// section 3.2.1.3), but different from other programs on it, so that these queries are not attributed to a
// client.

export const ownAddress = '127.83.76.67';
