// Types for the part of autocannon that the benchmark uses; the package has none.

declare module 'autocannon' {
  type Options = {
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
  };

  type Result = {
    readonly requests: { readonly total: number };
    /** Seconds that it took. */
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
  };

  export default function autocannon(options: Options): Promise<Result>;
}
