/** Identity providers in files. */
import { Type, type TProperties } from 'typebox'
import { certificatePem } from '../../../adapters/inbound/api/identity-provider-input.ts'
import {
  identityProviderChange,
  newIdentityProvider,
} from '../../../adapters/inbound/api/identity-provider-schemas.ts'
import { fields } from '../../../adapters/inbound/http/route.ts'
import { groupFields } from '../../../adapters/inbound/api/group-schemas.ts'
import { GITHUB_ISSUER } from '../../../domain/identity-provider/issuer.ts'
import { optional, plain, references, without } from './field-forms.ts'
import { list, named, type Kind } from './kind.ts'
import { fileSchema, withReferences } from './references.ts'
import { secretAt, SecretReference } from './secret-reference.ts'

const { groupMapping, ...settings } = without(
  identityProviderChange.properties,
  'name',
  'clientSecret',
  'metadataXml',
  'jitGroupIds',
) as TProperties & Pick<typeof identityProviderChange.properties, 'groupMapping'>

const { name, type } = newIdentityProvider.properties

/** A response has one field for what identifies a provider; the fields of the request depend on its type. */
const creation = ({
  issuer,
  ...body
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (typeof issuer !== 'string') return body
  switch (body['type']) {
    case 'saml':
      return { ...body, entityId: issuer }
    case 'microsoft':
      return { ...body, tenantId: new URL(issuer).pathname.split('/')[1] }
    case 'google':
      return body
    case 'github':
      return issuer === GITHUB_ISSUER ? body : { ...body, issuer }
    default:
      return { ...body, issuer }
  }
}

export const identityProviders: Kind = {
  name: 'identity-providers',
  about:
    'Identity providers. A client secret is named by the environment variable (env) or file that has it, and sent if the service has none.',
  path: '/identity-providers',
  key: 'name',
  targetType: 'identity_provider',
  creation,
  fields: {
    name: {},
    type: { fixed: true },
    issuer: { fixed: true },
    enabled: {
      change: (id, enabled) => [
        {
          method: 'POST',
          path: `/identity-providers/${id}/${enabled === true ? 'enable' : 'disable'}`,
          body: {},
        },
      ],
    },
    ...plain(...Object.keys(settings)),
    attributeMapping: { whole: true },
    certificates: { normal: (value) => list(value).map(certificatePem) },
    groupMapping: withReferences(),
    jitGroups: { ...references('groups'), api: 'jitGroupIds' },
    clientSecret: { storedIf: 'hasSecret', toBody: secretAt },
  },
  schema: fields({
    ...optional(settings),
    name,
    type,
    issuer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        title: 'the issuer identifier, or the entity id of a SAML provider',
      }),
    ),
    enabled: Type.Optional(Type.Boolean()),
    groupMapping: Type.Optional(fileSchema(groupMapping)),
    jitGroups: Type.Optional(named(groupFields.name)),
    clientSecret: Type.Optional(SecretReference),
  }),
}
