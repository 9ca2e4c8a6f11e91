// The door to what the folders of the store share: the mask that stands for a secret.

export { secretMask } from './secret-mask.ts';
