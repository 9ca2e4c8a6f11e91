// What became of each item of a request, in the shape that existing clients read after every write.

export interface Processed {
  readonly success: { item: string }[];
  readonly errors: { item: string; error: string }[];
}

export const processedOf = (item: string): Processed => ({ success: [{ item }], errors: [] });
