// Formats values for tables and sentences: times in the local time zone, booleans as words.

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Local time, YYYY-MM-DD HH:MM. */
export function dateText(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function dateOrNever(unixSeconds: number | null): string {
  return unixSeconds === null ? 'never' : dateText(unixSeconds);
}

/** The names of the groups that an item belongs to. */
export function groupsText(names: ReadonlyMap<number, string>) {
  return ({ groups }: { readonly groups: readonly number[] }): string =>
    groups.map((id) => names.get(id) ?? String(id)).join(', ');
}
