// Interleaved rounds: every program is measured once in each round, in rotating order, so that a busy phase
// of the machine affects all of them. Medians ignore outliers.

export async function inRounds<K extends string, T>(
  count: number,
  contestants: readonly K[],
  measure: (contestant: K) => Promise<T>,
): Promise<Map<K, T[]>> {
  const found = new Map<K, T[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round < count; round++) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      found.get(contestant)?.push(await measure(contestant));
    }
  }
  return found;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
