/** Changes to one record, declared once: for its page, for its row in a list, and for many rows at a time. */
import { allows, type Role } from '../../../../../../domain/roles.ts'
import type { Command, Query } from '../api.ts'
import { useMoment } from '../moment.tsx'
import { useSession } from '../session.tsx'

/** What a command takes besides the record: a text, or the id of another record. */
export interface ActionInput {
  /** Of the field in the body */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Shown while it is empty, if the command needs it */
  readonly needed?: string
  /** The list to choose from; without it, a text is typed */
  readonly records?: { readonly path: string; readonly query?: Query; readonly none: string }
}

export interface RecordAction<Item> {
  readonly label: string
  /** One of these roles; without them everyone who sees the record */
  readonly roles?: readonly Role[]
  /** Whether it would change a record in this state */
  readonly applies: (item: Item) => boolean
  readonly dangerous?: boolean
  /** What happens to each record */
  readonly effect: string
  readonly input?: ActionInput
  /** @param input what was typed, or the id of the record that was chosen */
  readonly command: (item: Item, input: string) => Command
  /** What is wrong with a response that is no error, such as an email that could not be sent */
  readonly refuted?: (response: unknown) => string | null
}

/** What can be done with several rows of a list. */
export interface BulkActions<Item> {
  /** `3 users` */
  readonly counted: (count: number) => string
  readonly actions: readonly RecordAction<Item>[]
}

/** Returns the actions that the roles of the signed-in user allow. Nothing can be changed in the past. */
export const useAllowed = <Action extends Pick<RecordAction<never>, 'roles'>>(
  actions: readonly Action[],
): readonly Action[] => {
  const { roleKeys } = useSession()
  const { at } = useMoment()
  return at === null ? actions.filter(({ roles }) => roles === undefined || allows(roleKeys, roles)) : []
}
