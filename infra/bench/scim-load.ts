/** The messages between the processes of the SCIM benchmark. */

export type Read = 'pages' | 'users by userName' | 'users by externalId' | 'groups by displayName'

export type DriverTask = {
  readonly port: number
  readonly key: string
} & (
  | {
      readonly kind: 'read'
      readonly read: Read
      readonly people: number
      readonly groups: number
      readonly atOnce: number
      readonly seconds: number
    }
  | { readonly kind: 'create'; readonly atOnce: number; readonly seconds: number }
  /** Creates a group */
  | { readonly kind: 'group' }
  | {
      readonly kind: 'members'
      readonly groupId: string
      readonly op: 'add' | 'remove'
      readonly userIds: readonly string[]
    }
)

export type DriverResult = { readonly perSecond: number } | { readonly id: string } | { readonly ms: number }

/** A service that is ready for load. */
export interface Target {
  readonly port: number
  readonly key: string
}

export type Question =
  | { readonly ask: 'memory' }
  /** Provisions the users of a group to a SCIM server */
  | { readonly ask: 'sync'; readonly baseUrl: string; readonly groupId: string; readonly people: number }

/** Mebibytes or milliseconds */
export interface QuestionAnswer {
  readonly answer: number
}
