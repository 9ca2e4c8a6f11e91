// The name and the client address that replace those which the privacy level hides, in rows and in replies.

export const hiddenName = 'hidden';
export const hiddenClient = '0.0.0.0';
