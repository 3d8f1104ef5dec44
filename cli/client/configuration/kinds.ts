/**
 * The kinds of records that files describe, in the order in which they depend on each other. Files name records by their
 * names, never by ids, so that the same files configure any service.
 */
import { Type, type TProperties, type TSchema } from 'typebox'
import {
  apiResourceSettings,
  grantedScopes,
  resourceName,
} from '../../../adapters/inbound/api/api-resource-schemas.ts'
import {
  ApplicationChanges,
  applicationName,
  applicationTypes,
} from '../../../adapters/inbound/api/application-schemas.ts'
import { groupFields, RuleInput } from '../../../adapters/inbound/api/group-schemas.ts'
import { networkZoneInput } from '../../../adapters/inbound/api/network-zone-schemas.ts'
import { SettingsInput } from '../../../adapters/inbound/api/organization.ts'
import { PolicyConditionsInput, policyInput } from '../../../adapters/inbound/api/policy-schemas.ts'
import { mappingInput } from '../../../adapters/inbound/api/ssh-schemas.ts'
import { Identifier } from '../../../adapters/inbound/http/address-schemas.ts'
import { fields } from '../../../adapters/inbound/http/route.ts'
import { line, nullable } from '../../../adapters/inbound/http/schemas.ts'
import { readSpan, writeSpan } from '../../../domain/network-zone/address.ts'
import { noConditions } from '../../../domain/policy/decider.ts'
import { isOwnApplication, type PolicyConditions } from '../../../domain/policy/events.ts'
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
  | 'ssh-principal-mappings'

/** Converts between names and ids. */
export interface Names {
  readonly nameOf: (kind: KindName, id: string) => string
  /** @throws CliError naming the record that does not exist */
  readonly idOf: (kind: KindName, name: string) => string
}

/** One field of a kind. By default it is the same in files and in the API. */
export interface Field {
  /** Its name in the API, if it differs */
  readonly api?: string
  /** Cannot be changed: a record with another value must be deleted and created */
  readonly fixed?: true
  /** Refers to records that refer to this one: sent after everything else */
  readonly late?: true
  readonly toFile?: (value: unknown, names: Names) => unknown
  readonly toBody?: (value: unknown, names: Names) => unknown
  /** The form in which the service stores what a file says */
  readonly normal?: (value: unknown) => unknown
  /** The request that changes it, if that is not the PATCH request of the record */
  readonly change?: (id: string, body: unknown) => { method: string; path: string; body: unknown }
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
  /** Whether files describe a record; default: all */
  readonly isManaged?: (record: ApiRecord) => boolean
}

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
const sorted = (value: unknown): readonly string[] => [...new Set(list(value))].sort()

const plain = (...names: readonly string[]): Readonly<Record<string, Field>> =>
  Object.fromEntries(names.map((name) => [name, {}]))

/** Ids of other records. */
const references = (kind: KindName): Field => ({
  toFile: (value, { nameOf }) => sorted(list(value).map((id) => nameOf(kind, id))),
  toBody: (value, { idOf }) => list(value).map((name) => idOf(kind, name)),
  normal: sorted,
})

const ranges: Field = {
  normal: (value) => [
    ...new Set(
      list(value).map((text) => {
        const span = readSpan(text)
        return span === null ? text : writeSpan(span)
      }),
    ),
  ],
}

/** A list of names, as the schema of a field that has ids in the API. */
const named = (name: TSchema) => Type.Array(name, { maxItems: 1000, uniqueItems: true })

const groupName = groupFields.name
const zoneName = networkZoneInput.name

/** Fields of a request, without those that files have in another form or not at all. */
const without = (properties: TProperties, ...names: readonly string[]): TProperties =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

const applicationSettings = without(ApplicationChanges.properties, 'name', 'groupIds', 'saml')

interface ApiGrant {
  readonly apiResourceId: string
  readonly scopes: readonly string[]
}
interface FileGrant {
  readonly api: string
  readonly scopes: readonly string[]
}

const byApi = (grants: readonly FileGrant[]): readonly FileGrant[] =>
  grants
    .map(({ api, scopes }) => ({ api, scopes: sorted(scopes) }))
    .sort((one, other) => (one.api < other.api ? -1 : 1))

const apiGrants: Field = {
  api: 'apiGrants',
  toFile: (value, { nameOf }) =>
    byApi(
      ((value ?? []) as readonly ApiGrant[]).map(({ apiResourceId, scopes }) => ({
        api: nameOf('api-resources', apiResourceId),
        scopes,
      })),
    ),
  toBody: (value, { idOf }) =>
    (value as readonly FileGrant[]).map(({ api, scopes }) => ({
      apiResourceId: idOf('api-resources', api),
      scopes,
    })),
  normal: (value) => byApi(value as readonly FileGrant[]),
  change: (id, body) => ({
    method: 'PUT',
    path: `/applications/${id}/api-grants`,
    body: { apiGrants: body },
  }),
}

const status: Field = {
  change: (id, body) => ({
    method: 'POST',
    path: `/applications/${id}/${body === 'disabled' ? 'disable' : 'enable'}`,
    body: {},
  }),
}

/** A part of the conditions that names records. */
interface Selection {
  readonly include: string | readonly string[]
  readonly exclude: readonly string[]
}

type Conditions = Partial<Omit<PolicyConditions, 'users' | 'applications' | 'zones'>> & {
  readonly [Part in 'users' | 'applications' | 'zones']?: Partial<PolicyConditions[Part]>
}

/** All conditions, with the default of each that a file omits. */
const completeConditions = (value: unknown): PolicyConditions => {
  const given = (value ?? {}) as Conditions
  const ordered = <Part extends Selection>(part: Part): Part => ({
    ...part,
    include: typeof part.include === 'string' ? part.include : sorted(part.include),
    exclude: sorted(part.exclude),
  })
  const users = ordered({ ...noConditions.users, ...given.users })
  return {
    ...noConditions,
    ...given,
    users: { ...users, roles: sorted(users.roles) as PolicyConditions['users']['roles'] },
    applications: ordered({ ...noConditions.applications, ...given.applications }),
    zones: ordered({ ...noConditions.zones, ...given.zones }),
  }
}

const converted = (value: unknown, convert: (kind: KindName, one: string) => string): PolicyConditions => {
  const conditions = completeConditions(value)
  const within = <Part extends Selection>(kind: KindName, part: Part): Part => {
    const one = (name: string): string => (isOwnApplication(name) ? name : convert(kind, name))
    const include = typeof part.include === 'string' ? part.include : part.include.map(one)
    return { ...part, include, exclude: part.exclude.map(one) }
  }
  return {
    ...conditions,
    users: within('groups', conditions.users),
    applications: within('applications', conditions.applications),
    zones: within('network-zones', conditions.zones),
  }
}

const conditions: Field = {
  toFile: (value, { nameOf }) => completeConditions(converted(value, nameOf)),
  toBody: (value, { idOf }) => converted(value, idOf),
  normal: completeConditions,
}

const { users, applications, zones, ...otherConditions } = PolicyConditionsInput.properties
/** The same conditions, with names in place of ids. */
const NamedConditions = fields({
  users: Type.Optional(
    fields({
      ...users.properties,
      include: Type.Optional(Type.Union([Type.Literal('all'), named(groupName)])),
      exclude: Type.Optional(named(groupName)),
    }),
  ),
  applications: Type.Optional(
    fields({
      ...applications.properties,
      include: Type.Optional(Type.Union([Type.Literal('all'), named(applicationName)])),
      exclude: Type.Optional(named(applicationName)),
    }),
  ),
  zones: Type.Optional(
    fields({
      ...zones.properties,
      include: Type.Optional(Type.Union([Type.Literal('any'), named(zoneName)])),
      exclude: Type.Optional(named(zoneName)),
    }),
  ),
  ...otherConditions,
})

/** Fields that a file may omit: what it does not say stays as it is. */
const optional = (properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]))

const settings = without(SettingsInput.properties, 'breakGlassUserId')

export const kinds: readonly Kind[] = [
  {
    name: 'settings',
    about: 'Settings of the organization. The break-glass account is not part of the files.',
    path: '/settings',
    key: null,
    targetType: 'organization',
    fields: plain(...Object.keys(settings)),
    schema: fields(settings),
  },
  {
    name: 'groups',
    about:
      'Groups and their rules. Members and owners, and groups of a directory (SCIM), are not part of the files.',
    path: '/groups',
    key: 'name',
    targetType: 'group',
    fields: plain('name', 'description', 'rule'),
    schema: fields({
      name: groupName,
      description: groupFields.description,
      rule: Type.Optional(nullable(RuleInput)),
    }),
    isManaged: ({ source }) => source === 'local',
  },
  {
    name: 'network-zones',
    about: 'Network zones: networks by address, country or autonomous system.',
    path: '/network-zones',
    key: 'name',
    targetType: 'network_zone',
    fields: {
      ...plain('name', 'type'),
      cidrs: ranges,
      countries: { normal: sorted },
      asns: { normal: (value) => [...new Set(value as readonly number[])].sort((one, other) => one - other) },
      ...plain('anonymizers', 'blocked', 'trusted'),
    },
    schema: fields(without(networkZoneInput, 'force')),
  },
  {
    name: 'api-resources',
    about: 'APIs that access tokens are issued for, and their scopes.',
    path: '/api-resources',
    key: 'identifier',
    targetType: 'api_resource',
    fields: {
      identifier: { fixed: true },
      ...plain('name', 'description', 'accessTokenLifetimeSeconds'),
      scopes: {
        normal: (value) =>
          (value as readonly { readonly name: string; readonly description?: string | null }[]).map(
            ({ name, description = null }) => ({ name, description }),
          ),
      },
      ownerApplications: { ...references('applications'), api: 'ownerApplicationIds', late: true },
    },
    schema: fields({
      identifier: Identifier,
      name: resourceName,
      ...without(apiResourceSettings, 'ownerApplicationIds'),
      ownerApplications: Type.Optional(named(applicationName)),
    }),
  },
  {
    name: 'applications',
    about: 'Applications. Client ids and secrets are not part of the files: a new application gets new ones.',
    path: '/applications',
    key: 'name',
    targetType: 'application',
    fields: {
      name: {},
      protocol: { fixed: true },
      type: { fixed: true },
      status,
      groups: { ...references('groups'), api: 'groupIds' },
      ...plain(...Object.keys(applicationSettings)),
      saml: {},
      apiGrants,
    },
    schema: fields({
      ...applicationSettings,
      name: applicationName,
      protocol: Type.Enum(['oidc', 'saml']),
      type: Type.Optional(nullable(Type.Enum(applicationTypes.filter((type) => type !== 'cli')))),
      status: Type.Optional(Type.Enum(['active', 'disabled'])),
      groups: Type.Optional(named(groupName)),
      saml: ApplicationChanges.properties.saml,
      apiGrants: Type.Optional(
        Type.Array(fields({ api: Identifier, scopes: grantedScopes }), { maxItems: 100 }),
      ),
    }),
    isManaged: ({ builtIn }) => builtIn !== true,
  },
  {
    name: 'policies',
    about:
      'Access policies. They name groups, applications and network zones; portal and ssh stand for the service itself.',
    path: '/policies',
    key: 'name',
    targetType: 'policy',
    fields: {
      ...plain('name', 'description', 'status', 'priority', 'action', 'sessionMaxAgeMinutes'),
      conditions,
    },
    schema: fields({
      ...optional(without(policyInput, 'force')),
      name: policyInput.name,
      action: policyInput.action,
      conditions: Type.Optional(NamedConditions),
    }),
  },
  {
    name: 'ssh-principal-mappings',
    about: 'SSH principals of groups. A group has one mapping in the files.',
    path: '/ssh/principal-mappings',
    key: 'group',
    targetType: 'ssh_principal_mapping',
    fields: {
      group: {
        api: 'groupId',
        toFile: (value, { nameOf }) => nameOf('groups', String(value)),
        toBody: (value, { idOf }) => idOf('groups', String(value)),
      },
      principals: { normal: sorted },
      maxValiditySeconds: {},
      sourceAddresses: ranges,
      extensions: { toFile: sorted, normal: sorted },
    },
    schema: fields({ group: line(100, 'Operators'), ...without(mappingInput, 'groupId') }),
  },
]

export const kindOf = (name: KindName): Kind => {
  const kind = kinds.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`no kind is called ${name}`)
  return kind
}
