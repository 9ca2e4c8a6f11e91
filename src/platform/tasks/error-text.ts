// A caught error as text for a log line, a message or a reply. JavaScript can throw any value, so `catch` has
// to expect more than an Error.

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
