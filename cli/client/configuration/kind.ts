/** What a kind of records is for files. */
import { Type, type TSchema } from 'typebox'
import type { ApiRecord } from '../admin-api.ts'

/** What a file says of a record: field by field, with names in place of ids. */
export type Item = Readonly<Record<string, unknown>>

export type KindName =
  | 'settings'
  | 'groups'
  | 'network-zones'
  | 'api-resources'
  | 'applications'
  | 'policies'
  | 'access-packages'
  | 'lifecycle-rules'
  | 'identity-providers'
  | 'branding'
  | 'ssh-principal-mappings'
  | 'webhooks'

/** Items by kind. A kind without a file is missing: files say nothing about it. */
export type Desired = ReadonlyMap<KindName, readonly Item[]>

/** What files can refer to. Users are not part of the files; their names are email addresses. */
export type ReferenceKind = KindName | 'users'

/** Converts between names and ids. */
export interface Names {
  readonly nameOf: (kind: ReferenceKind, id: string) => string
  /** @throws CliError naming the record that does not exist */
  readonly idOf: (kind: ReferenceKind, name: string) => string
}

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** One field of a kind. By default it is the same in files and in the API. */
export interface Field {
  /** Its name in the API, if it differs */
  readonly api?: string
  /** Its name in requests, if that differs again */
  readonly sentAs?: string
  /** Cannot be changed: a record with another value must be deleted and created */
  readonly fixed?: true
  /** Refers to records that refer to this one: sent after everything else */
  readonly late?: true
  /** An object that is replaced as a whole: what a file omits of it is removed */
  readonly whole?: true
  /**
   * A secret that files only refer to, and the field of the record that says whether the service has one. What it is
   * cannot be compared: it is sent if the service has none, or if the user asks for it.
   */
  readonly storedIf?: string
  readonly toFile?: (value: unknown, names: Names) => unknown
  readonly toBody?: (value: unknown, names: Names) => unknown
  /** The form in which the service stores what a file says */
  readonly normal?: (value: unknown) => unknown
  /** The requests that change it, if that is not the PATCH request of the record */
  readonly change?: (id: string, body: unknown, from: unknown) => readonly ApiRequest[]
}

export interface Kind {
  readonly name: KindName
  readonly about: string
  /** Of the API; also that of its list */
  readonly path: string
  /** Null: there is one record, which always exists */
  readonly key: string | null
  /** Of its audit entries */
  readonly targetType: string
  readonly fields: Readonly<Record<string, Field>>
  /** Of an item in a file */
  readonly schema: TSchema
  /** The field of the response to its creation that is shown only once, and whether it can be replaced later */
  readonly secret?: { readonly field: string; readonly isReplaceable: boolean }
  /** Makes the request that creates a record of its fields, if it has other ones */
  readonly creation?: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Whether files describe a record; default: all */
  readonly isManaged?: (record: ApiRecord) => boolean
}

export const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
export const sorted = (value: unknown): readonly string[] => [...new Set(list(value))].sort()

/** A list of names, as the schema of a field that has ids in the API. */
export const named = (name: TSchema) => Type.Array(name, { maxItems: 1000, uniqueItems: true })
