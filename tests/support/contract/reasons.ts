/**
 * Why a request may be rejected although the API document allows it: because of what exists or does not exist, or
 * because of rules that JSON Schema cannot express. Any other rejection is an error in the document.
 */
interface Reason {
  readonly why: string
  readonly message: RegExp
}

const existence: readonly Reason[] = [
  {
    why: 'a reference to something that does not exist',
    message: /does not exist|expected the id of an existing/,
  },
  { why: 'scopes that the API resource does not have', message: /expected scopes of the API resource/ },
  { why: 'scopes that the application is not granted', message: /expected what the application can request/ },
  { why: 'unknown event types', message: /from GET \/webhooks\/event-types/ },
  { why: 'a time zone or language that the service does not know', message: /^(?:timeZone|locale): / },
  { why: 'only the service can sign statements about plans', message: /^note: expected a statement/ },
  { why: 'the audit tree is smaller', message: /the size of the tree|the index of the entry/ },
  { why: 'the time has passed, or is later than the settings allow', message: /^expiresAt: expected a time/ },
  { why: 'the saved token is for another server, or none is saved', message: /^token: / },
  { why: 'addresses of the service itself', message: /this service's own address|can receive email/ },
  {
    why: 'the type of the stored application',
    message:
      /not allowed for (?:an application of type|the protocol|this method)|only web applications|redirectUris: expected (?:https|at least one)|postLogoutRedirectUris: expected https/,
  },
  {
    why: 'the roles and methods of the user',
    message: /^breakGlassUserId: expected an active global administrator/,
  },
  {
    why: 'the limits of the SSH principal mappings',
    message: /^(?:validitySeconds|principals): your groups/,
  },
  { why: 'the user in the path', message: /managerId: must not be the user itself/ },
  { why: 'the sign-in method in the path', message: /"preferred" is for security keys only/ },
  { why: 'the account already has a profile, or has none yet', message: /^profile: / },
]

const beyondSchemas: readonly Reason[] = [
  {
    why: 'the type of a network zone, notations of addresses, and codes of countries',
    message:
      /not allowed for a zone of type|at least one item for a zone of type|a blocked zone cannot be trusted|IPv4 or IPv6 address|ISO 3166-1 alpha-2 code/,
  },
  {
    why: 'settings of access packages that depend on each other, and durations',
    message:
      /^(?:approvers|choices|default|max|requesters|approval|incompatiblePackageIds|questions|grants|answers|justification|requestedDuration|startsAt|comment|approverId|userId): expected|^requestedDuration: this package/,
  },
  {
    why: 'settings of lifecycle rules that depend on each other, and texts of their emails',
    message:
      /^(?:attribute|groupId|packageId|days|atTime|timeZone|duration|userIds|actions|subject|text): expected/,
  },
  {
    why: 'notations of addresses, and how wide a range may be',
    message: /^trustedProxies: expected addresses/,
  },
  { why: 'documents in other formats', message: /^metadataXml: |^publicKey: |X\.509 certificate in PEM/ },
  { why: 'DNS names, patterns and addresses of SSH hosts', message: /^hostNames(?:\/\d+)?: expected/ },
  { why: 'one notation of IPv6 and punycode', message: /normalized form|absolute U(?:RL|RI)/ },
  {
    why: 'internationalized domains, which are stored as punycode',
    message: /^name: expected a domain such as/,
  },
  {
    why: 'fields that depend on the type of an identity provider, and its domains',
    message:
      /^(?:issuer|tenantId|client\w+|scopes|entityId|ssoUrl|certificates|nameIdFormat|acceptUnsolicited|metadataXml): (?:expected|only for|not for|follows|is of)|^domains: expected domains of the organization/,
  },
  { why: 'lengths in bytes', message: /defaultRelayState: .*bytes/ },
  {
    why: 'fields of list items that must be unique',
    message: /each scope once|each API resource once|no other attribute has/,
  },
  { why: 'lists of equal length', message: /one unique index for each of acsUrls/ },
  { why: 'query parameters that exclude each other', message: /cannot be combined with at/ },
  {
    why: 'times in order',
    message: /from: expected (?:a time before to|at most \d+ intervals)|endDate: expected a date not before/,
  },
]

/** The reason for a rejection; null if the document should have ruled out the request. */
export const reasonFor = (message: string): string | null =>
  [...existence, ...beyondSchemas].find((reason) => reason.message.test(message))?.why ?? null
