/** RFC 7643 §4, §7: the attributes of users and groups that this server keeps, as it tells of them. */

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

/** What a resource is made of: its core schema, and the extension that it may have. */
export interface ResourceType {
  readonly name: 'User' | 'Group'
  readonly endpoint: '/Users' | '/Groups'
  readonly description: string
  readonly schema: Schema
  readonly extension?: Schema
  /** Attributes that RFC 7643 has and this server does not keep, in lower case: accepted, and let go. */
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

/** RFC 7643 §3.1: what every resource has, although no schema lists it. */
const id = attribute('id', 'The id that this service has given', {
  ...readOnly,
  caseExact: true,
  returned: 'always',
  uniqueness: 'server',
})
const externalId = attribute('externalId', "The client's own id", { caseExact: true, uniqueness: 'server' })
const commonAttributes: readonly Attribute[] = [
  id,
  externalId,
  attribute('meta', 'What the service knows of the resource', { ...readOnly, type: 'complex' }),
]

const valueTypePrimary = (what: string, types: readonly string[], required = false): readonly Attribute[] => [
  attribute('value', what, { required }),
  attribute('type', 'What it is for', { canonicalValues: types }),
  attribute('primary', 'Whether it is the preferred one', { type: 'boolean' }),
]

/** Suggestions; any language tag will do, and any time zone. */
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
    // RFC 7643 §3.1: schemas may list it, and clients that read schemas look for it there.
    externalId,
    attribute('userName', 'The name that the directory knows the person by', {
      required: true,
      uniqueness: 'server',
    }),
    attribute('name', 'The parts of the name', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The whole name'),
        attribute('givenName', 'The given name'),
        attribute('familyName', 'The family name'),
      ],
    }),
    attribute('displayName', 'The name as people see it'),
    attribute('title', 'The position'),
    attribute('preferredLanguage', 'The language, as in locale', languages),
    attribute('locale', 'A language tag (BCP 47)', languages),
    attribute('timezone', 'A time zone (IANA)', timeZones),
    attribute('active', 'Whether the person may sign in', { type: 'boolean' }),
    attribute('emails', 'E-mail addresses; one is kept: the primary, else the one for work, else the first', {
      type: 'complex',
      multiValued: true,
      required: true,
      subAttributes: valueTypePrimary('The address', ['work'], true),
    }),
    attribute('phoneNumbers', 'Telephone numbers; the one for work is kept', {
      type: 'complex',
      multiValued: true,
      subAttributes: valueTypePrimary('The number', ['work']),
    }),
    attribute('groups', 'The groups that the person is in', {
      ...readOnly,
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the group', { ...readOnly, caseExact: true }),
        attribute('$ref', 'The address of the group', { ...readOnly, ...reference('Group') }),
        attribute('display', 'The name of the group', readOnly),
        attribute('type', 'How the person is in it', { ...readOnly, canonicalValues: ['direct'] }),
      ],
    }),
  ],
}

const enterpriseSchema: Schema = {
  id: ENTERPRISE_URN,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    attribute('employeeNumber', 'The number that the organization has given'),
    attribute('department', 'The department'),
    attribute('manager', 'The manager', {
      type: 'complex',
      subAttributes: [
        attribute('value', "The manager's id here", { caseExact: true }),
        attribute('$ref', "The manager's address, instead of the id", reference('User')),
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
    attribute('members', 'The people in the group', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', "The person's id here", { mutability: 'immutable', caseExact: true }),
        attribute('$ref', "The person's address", { mutability: 'immutable', ...reference('User') }),
        attribute('display', "The person's name", { mutability: 'immutable' }),
        attribute('type', 'What the member is', { mutability: 'immutable', canonicalValues: ['User'] }),
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

/** RFC 7643 §2.1: names of attributes are the same in any letter case. */
export const attributeOf = (attributes: readonly Attribute[], name: string): Attribute | undefined => {
  const wanted = name.toLowerCase()
  return attributes.find((each) => each.name.toLowerCase() === wanted)
}

/** The attributes of the core schema with those that every resource has. */
export const coreAttributes = ({ schema }: ResourceType): readonly Attribute[] => [
  ...commonAttributes,
  ...schema.attributes,
]
