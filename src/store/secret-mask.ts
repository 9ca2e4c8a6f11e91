// What stands in place of a secret wherever it is shown; whoever writes it back leaves the secret as it is.

export const secretMask = '********';
