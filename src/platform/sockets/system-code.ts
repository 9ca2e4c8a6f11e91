// Turns an error that the platform threw into its code (`ENOENT`, `EACCES`, …), so that it can be handled as
// a value. An error without a code is a bug and is rethrown.

export function systemCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
