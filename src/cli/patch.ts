// What the options of `set` say as a JSON Merge Patch (RFC 7396): fields that nobody named are left out and
// so stay as they are; null takes a value away.

/** Nothing when there is nothing to change. */
export const patchOf = ({ enable, disable, ...fields }: Options): Record<string, unknown> | undefined => {
  const named = Object.entries({ ...fields, enabled: enable ?? off(disable) }).filter(
    ([, value]) => value !== undefined,
  );
  return named.length === 0 ? undefined : Object.fromEntries(named);
};

const off = (disable: boolean | undefined): boolean | undefined =>
  disable === undefined ? undefined : !disable;

interface Options {
  readonly enable?: boolean | undefined;
  readonly disable?: boolean | undefined;
  readonly [field: string]: unknown;
}
