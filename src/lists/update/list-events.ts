// The events that list updates emit; the event hub of the API includes them.

export interface ListEvents {
  /** Progress of an update; undefined listId: all lists. */
  readonly 'lists.progress': { readonly listId: number | undefined; readonly text: string };
  /** A compilation ended; `problem` says why the lists are not in force. */
  readonly 'lists.compiled': { readonly names: number; readonly problem: string | undefined };
  /** The change of a list is so large that a person has to accept it. */
  readonly 'lists.held': { readonly listId: number; readonly text: string };
}

/** One function per event. */
export type ListEventSinks = { readonly [N in keyof ListEvents]: (data: ListEvents[N]) => void };
