// The limits of the rule scanner, in one place: whatever a list's author writes, the work and the memory for
// one line, and the report of a whole list, stay within these.

/** A longer line is not a rule. The longest useful ones are lists of names in $denyallow. */
export const MAX_LINE_BYTES = 8192;
/** How many bytes of a text are checked to distinguish a list from a page or a program. */
export const HEAD_BYTES = 4096;
/** One control byte in this many is an accident; a text with more is not text. */
export const BYTES_PER_CONTROL = 100;
/** Regular expressions of one list, including wildcards inside names; further ones are invalid. */
export const MAX_PATTERNS = 2000;
/** Those among them that are possible matches for nearly every name, see loose-pattern.ts. */
export const MAX_LOOSE_PATTERNS = 30;
/** Characters of one regular expression in a list. */
export const MAX_PATTERN_CHARACTERS = 1024;
/** Characters of one regular expression of a user, who has few of them and wrote each one. */
export const MAX_USER_PATTERN_CHARACTERS = 4096;
/**
 * Characters of one regular expression with its repetitions expanded, see pattern-size.ts. A dns worker
 * builds an expression without a pause, in some 50 ms at most.
 */
export const MAX_PATTERN_SIZE = 2000;
/** Values of one modifier: types, clients, tags, names in $denyallow. */
export const MAX_MODIFIER_VALUES = 500;
/** Modifiers of one rule. */
export const MAX_MODIFIERS = 32;
/** Names in one dnsmasq line. */
export const MAX_NAMES_PER_SETTING = 500;
/** Lines inside the parentheses of a zone's SOA record; then the parenthesis counts as closed. */
export const MAX_SOA_LINES = 20;
/** Samples of lines in the report that are not rules. */
export const MAX_INVALID_SAMPLES = 15;
export const MAX_SKIPPED_SAMPLES = 5;
export const MAX_SAMPLE_CHARACTERS = 120;
