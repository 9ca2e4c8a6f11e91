// What stands in the place of a name, and of a client, that the privacy level hides: in rows, and in replies.

export const hiddenName = 'hidden';
export const hiddenClient = '0.0.0.0';
