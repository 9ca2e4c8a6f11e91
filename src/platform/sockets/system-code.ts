/**
 * The code (`ENOENT`, `EACCES`, …) of an error that the platform threw, the one thing that turns such an
 * exception into a value. An error without a code is a bug of ours and is thrown on.
 */
export function systemCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
