/**
 * The kinds of records that files describe, in the order in which they depend on each other. Files name records by their
 * names, never by ids, so that the same files configure any service.
 */
import { Type } from 'typebox'
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
import { Color } from '../../../adapters/inbound/api/branding.ts'
import { policyInput } from '../../../adapters/inbound/api/policy-schemas.ts'
import { mappingInput } from '../../../adapters/inbound/api/ssh-schemas.ts'
import { webhookEntries, webhookStatus, webhookUrl } from '../../../adapters/inbound/api/webhook-schemas.ts'
import { Identifier } from '../../../adapters/inbound/http/address-schemas.ts'
import { fields } from '../../../adapters/inbound/http/route.ts'
import { clearable, line, nullable, prose } from '../../../adapters/inbound/http/schemas.ts'
import { accessPackages, lifecycleRules } from './governance-kinds.ts'
import { identityProviders } from './identity-provider-kind.ts'
import { named, sorted, type Field, type Kind, type KindName } from './kind.ts'
import { optional, plain, ranges, references, without } from './field-forms.ts'
import { NamedConditions, policyConditions } from './policy-conditions.ts'

const groupName = groupFields.name

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
  change: (id, body) => [
    { method: 'PUT', path: `/applications/${id}/api-grants`, body: { apiGrants: body } },
  ],
}

const status: Field = {
  change: (id, body) => [
    {
      method: 'POST',
      path: `/applications/${id}/${body === 'disabled' ? 'disable' : 'enable'}`,
      body: {},
    },
  ],
}

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
    secret: { field: 'clientSecret', isReplaceable: true },
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
      conditions: policyConditions,
    },
    schema: fields({
      ...optional(without(policyInput, 'force')),
      name: policyInput.name,
      action: policyInput.action,
      conditions: Type.Optional(NamedConditions),
    }),
  },
  accessPackages,
  lifecycleRules,
  identityProviders,
  {
    name: 'branding',
    about: 'The accent colour. The logo is not part of the files.',
    path: '/organization',
    key: null,
    targetType: 'organization',
    fields: {
      accentColor: {
        normal: (value) => String(value).toLowerCase(),
        change: (_, accentColor) => [
          { method: 'PUT', path: '/branding/accent-color', body: { accentColor } },
        ],
      },
    },
    schema: fields({ accentColor: clearable(Color) }),
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
  {
    name: 'webhooks',
    about: 'Webhook endpoints. Signing secrets are not part of the files: a new endpoint gets a new one.',
    secret: { field: 'secret', isReplaceable: false },
    path: '/webhooks',
    key: 'url',
    targetType: 'webhook',
    fields: {
      ...plain('url', 'description'),
      events: { normal: sorted, toFile: sorted },
      status: {
        change: (id, body) => [
          { method: 'POST', path: `/webhooks/${id}/${body === 'paused' ? 'pause' : 'resume'}`, body: {} },
        ],
      },
    },
    schema: fields({
      url: webhookUrl,
      description: clearable(prose(1000)),
      events: webhookEntries,
      status: Type.Optional(webhookStatus),
    }),
  },
]

export const kindOf = (name: KindName): Kind => {
  const kind = kinds.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`no kind is called ${name}`)
  return kind
}
