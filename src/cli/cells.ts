// Values as people read them in tables and sentences: moments in the local time of whoever looks, flags as
// words, and nothing as nothing.

export const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

/** Local time, YYYY-MM-DD HH:MM. */
export const dateText = (unixSeconds: number): string => {
  const date = new Date(unixSeconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
};

export const dateOrNever = (unixSeconds: number | null): string =>
  unixSeconds === null ? 'never' : dateText(unixSeconds);
