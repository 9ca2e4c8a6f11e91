// The options of `set` as a JSON Merge Patch (RFC 7396): fields without an option are left out and keep their
// value; null removes a value.

/** Undefined without any change. */
export function patchOf({ enable, disable, ...fields }: Options): Record<string, unknown> | undefined {
  const named = Object.entries({ ...fields, enabled: enable ?? off(disable) }).filter(
    ([, value]) => value !== undefined,
  );
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

function off(disable: boolean | undefined): boolean | undefined {
  return disable === undefined ? undefined : !disable;
}

interface Options {
  readonly enable?: boolean | undefined;
  readonly disable?: boolean | undefined;
  readonly [field: string]: unknown;
}
