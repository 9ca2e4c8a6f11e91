// The mask that replaces a secret wherever it is shown. A client that sends the mask back keeps the secret.

export const secretMask = '********';
