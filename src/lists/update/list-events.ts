// The events of lists. The service's events include them; the update of lists knows only these.

export interface ListEvents {
  /** Progress of an update; without an id it concerns all lists. */
  readonly 'lists.progress': { readonly listId: number | undefined; readonly text: string };
  /** The fetched lists are compiled and in force, or why they are not. */
  readonly 'lists.compiled': { readonly names: number; readonly problem: string | undefined };
  /** A list changed so much that a person has to accept it before it is used. */
  readonly 'lists.held': { readonly listId: number; readonly text: string };
}

/** Where each of them goes. */
export type ListEventSinks = { readonly [N in keyof ListEvents]: (data: ListEvents[N]) => void };
