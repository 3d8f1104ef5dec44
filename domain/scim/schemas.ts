/** RFC 7643 §4, §7: the user and group attributes that this server supports, for the schema documents. */

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const SCHEMA_URN = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

export interface Attribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime'
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable'
  readonly returned: 'always' | 'default'
  readonly uniqueness: 'none' | 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

export interface Schema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

/** The schemas of a resource: its core schema, and an optional extension. */
export interface ResourceType {
  readonly name: 'User' | 'Group'
  readonly endpoint: '/Users' | '/Groups'
  readonly description: string
  readonly schema: Schema
  readonly extension?: Schema
  /** Attributes of RFC 7643 that this server does not support, in lower case: accepted and ignored. */
  readonly ignored: ReadonlySet<string>
}

const attribute = (name: string, description: string, besides: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...besides,
})

const readOnly = { mutability: 'readOnly' } as const
const reference = (...referenceTypes: string[]) =>
  ({ type: 'reference', caseExact: true, referenceTypes }) as const

/** RFC 7643 §3.1: attributes of every resource, although no schema lists them. */
const id = attribute('id', 'The id assigned by this service', {
  ...readOnly,
  caseExact: true,
  returned: 'always',
  uniqueness: 'server',
})
const externalId = attribute('externalId', "The client's own id", { caseExact: true, uniqueness: 'server' })
const commonAttributes: readonly Attribute[] = [
  id,
  externalId,
  attribute('meta', 'Metadata of the resource', { ...readOnly, type: 'complex' }),
]

const valueTypePrimary = (what: string, types: readonly string[], required = false): readonly Attribute[] => [
  attribute('value', what, { required }),
  attribute('type', 'Type, for example work', { canonicalValues: types }),
  attribute('primary', 'Whether this is the preferred value', { type: 'boolean' }),
]

/** Suggestions; any language tag or time zone is accepted. */
const languages = {
  canonicalValues: ['de-DE', 'en-GB', 'en-US', 'es-ES', 'fr-FR', 'it-IT', 'ja-JP', 'pt-BR'],
}
const timeZones = {
  canonicalValues: ['America/New_York', 'Asia/Tokyo', 'Europe/Berlin', 'Europe/London', 'UTC'],
}

const userSchema: Schema = {
  id: USER_URN,
  name: 'User',
  description: 'User Account',
  attributes: [
    // RFC 7643 §3.1: schemas may list it, and clients that read schemas expect it there.
    externalId,
    attribute('userName', 'The name that the directory uses for the user', {
      required: true,
      uniqueness: 'server',
    }),
    attribute('name', 'The parts of the name', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The full name'),
        attribute('givenName', 'The given name'),
        attribute('familyName', 'The family name'),
      ],
    }),
    attribute('displayName', 'The display name'),
    attribute('title', 'The job title'),
    attribute('preferredLanguage', 'The language as a locale', languages),
    attribute('locale', 'A language tag (BCP 47)', languages),
    attribute('timezone', 'A time zone (IANA)', timeZones),
    attribute('active', 'Whether the user can sign in', { type: 'boolean' }),
    attribute(
      'emails',
      'Email addresses; one is stored: the primary one, otherwise the one for work, otherwise the first',
      {
        type: 'complex',
        multiValued: true,
        required: true,
        subAttributes: valueTypePrimary('The address', ['work'], true),
      },
    ),
    attribute('phoneNumbers', 'Telephone numbers; the one for work is stored', {
      type: 'complex',
      multiValued: true,
      subAttributes: valueTypePrimary('The number', ['work']),
    }),
    attribute('groups', 'The groups of the user', {
      ...readOnly,
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the group', { ...readOnly, caseExact: true }),
        attribute('$ref', 'The URL of the group', { ...readOnly, ...reference('Group') }),
        attribute('display', 'The name of the group', readOnly),
        attribute('type', 'How the user became a member', { ...readOnly, canonicalValues: ['direct'] }),
      ],
    }),
  ],
}

const enterpriseSchema: Schema = {
  id: ENTERPRISE_URN,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    attribute('employeeNumber', 'The employee number'),
    attribute('department', 'The department'),
    attribute('manager', 'The manager', {
      type: 'complex',
      subAttributes: [
        attribute('value', "The manager's id", { caseExact: true }),
        attribute('$ref', "The manager's URL, instead of the id", reference('User')),
        attribute('displayName', "The manager's name", readOnly),
      ],
    }),
  ],
}

const groupSchema: Schema = {
  id: GROUP_URN,
  name: 'Group',
  description: 'Group',
  attributes: [
    externalId,
    attribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
    attribute('members', 'The members of the group', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', "The user's id", { mutability: 'immutable', caseExact: true }),
        attribute('$ref', "The user's URL", { mutability: 'immutable', ...reference('User') }),
        attribute('display', "The user's name", { mutability: 'immutable' }),
        attribute('type', 'Type of the member', { mutability: 'immutable', canonicalValues: ['User'] }),
      ],
    }),
  ],
}

const names = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().split(/\s+/))

export const userType: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'User Account',
  schema: userSchema,
  extension: enterpriseSchema,
  ignored: names(
    `schemas nickName profileUrl userType password ims photos addresses entitlements roles x509Certificates
     name.middleName name.honorificPrefix name.honorificSuffix emails.display phoneNumbers.display
     costCenter organization division`,
  ),
}

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Group',
  schema: groupSchema,
  ignored: names('schemas'),
}

export const resourceTypes: readonly ResourceType[] = [userType, groupType]

/** RFC 7643 §2.1: attribute names are not case-sensitive. */
export const attributeOf = (attributes: readonly Attribute[], name: string): Attribute | undefined => {
  const wanted = name.toLowerCase()
  return attributes.find((each) => each.name.toLowerCase() === wanted)
}

/** The attributes of the core schema and those that every resource has. */
export const coreAttributes = ({ schema }: ResourceType): readonly Attribute[] => [
  ...commonAttributes,
  ...schema.attributes,
]
