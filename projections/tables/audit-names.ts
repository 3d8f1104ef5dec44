import type { Change } from '../../domain/changes.ts'
import { ERASED_NAME } from '../../domain/audit/entry.ts'
import type { Profile } from '../../domain/user/events.ts'
import { UNREADABLE_NAME } from '../../domain/user/unreadable.ts'
import type { Rows } from '../rows.ts'
import type { Reaction, Table } from '../table.ts'

interface Placed {
  readonly position: string
}

const put = (
  rows: Rows,
  { position }: Placed,
  id: string,
  name: string | null,
  subject: string | null = null,
): void => {
  rows.put({ id, from_position: position, subject_id: subject, name })
}

/** Adds the name from this position on. */
const called = <Event extends Placed>(
  of: (event: NoInfer<Event>) => readonly [id: string, name: string],
): Reaction<Event> => ({
  apply: (event, rows) => {
    put(rows, event, ...of(event))
  },
})

/** Returns the name after changes that affect it. Changes of an erased user are missing. */
const renamed = (changes: readonly Change[] | undefined, field = 'name'): string | null => {
  const to = changes?.find((change) => change.field === field)?.to
  return typeof to === 'string' ? to : null
}

const updated = <Event extends Placed & { readonly data: { readonly changes: readonly Change[] } }>(
  id: (event: NoInfer<Event>) => string,
  subject: (event: NoInfer<Event>) => string | null = () => null,
): Reaction<Event> => ({
  apply: (event, rows) => {
    const name = renamed(event.data.changes)
    if (name !== null) put(rows, event, id(event), name, subject(event))
  },
})

/** The beginning of a certificate's fingerprint, in the format of common tools. */
const shortFingerprint = (hex: string): string =>
  (hex.slice(0, 16).toUpperCase().match(/../g) ?? []).join(':')

type MethodEvent = Placed & {
  readonly data: { readonly userId: string; readonly methodId: string; readonly name: string }
}

/** The names of an erased user's resources are missing. */
const nameIn = ({ data }: { readonly data: { readonly name: string } }): string | null => data.name ?? null

const methodAdded: Reaction<MethodEvent> = {
  apply: (event, rows) => {
    put(rows, event, event.data.methodId, nameIn(event), event.data.userId)
  },
}

/** The names of resources at each position in the log: one row per naming. */
export const auditNames: Table = {
  name: 'audit_names',
  key: ['id', 'from_position'],
  on: {
    'user.invited': {
      apply: (event, rows) => {
        const { userId } = event.data
        const profile = event.data.profile as Profile | undefined
        const nameless = event.unreadable === true ? UNREADABLE_NAME : ERASED_NAME
        put(rows, event, userId, profile?.name ?? nameless, userId)
      },
    },
    'user.updated': updated(
      (event) => event.data.userId,
      (event) => event.data.userId,
    ),
    'user.method_added': methodAdded,
    'user.authenticator_added': methodAdded,
    'user.method_renamed': {
      apply: (event, rows) => {
        const name = nameIn(event)
        if (name !== null) put(rows, event, event.data.methodId, name, event.data.userId)
      },
    },
    'device.registered': {
      apply: (event, rows) => {
        put(rows, event, event.data.deviceId, nameIn(event), event.data.userId)
      },
    },
    'device.renamed': {
      apply: (event, rows) => {
        const name = nameIn(event)
        if (name !== null) put(rows, event, event.data.deviceId, name, event.data.userId)
      },
    },
    // Keeps what a replay produces without the key: that the user existed, and what belonged to them.
    'user.erased': {
      reads: (event) => [{ subject_id: event.data.userId }],
      apply: (event, rows) => {
        const { userId } = event.data
        const seen = new Set<unknown>()
        for (const row of rows.find({ subject_id: userId })) {
          if (seen.has(row['id'])) rows.delete(row)
          else rows.put({ ...row, name: row['id'] === userId ? ERASED_NAME : null })
          seen.add(row['id'])
        }
      },
    },
    'group.created': called(({ data }) => [data.groupId, data.name]),
    'group.updated': updated((event) => event.data.groupId),
    'application.created': called(({ data }) => [data.applicationId, data.fields.name]),
    'application.updated': updated((event) => event.data.applicationId),
    'application.secret_created': called(({ data }) => [data.secretId, data.prefix]),
    'policy.created': called(({ data }) => [data.policyId, data.name]),
    'policy.updated': updated(({ data }) => data.policyId),
    'access_package.created': called(({ data }) => [data.packageId, data.name]),
    'access_package.updated': updated(({ data }) => data.packageId),
    'lifecycle_rule.created': called(({ data }) => [data.ruleId, data.name]),
    'lifecycle_rule.updated': updated(({ data }) => data.ruleId),
    // A request is called after what it asks for.
    'access_request.created': called(({ data }) => [data.requestId, data.packageName]),
    'access_review.created': called(({ data }) => [data.reviewId, data.name]),
    'access_review.updated': updated(({ data }) => data.reviewId),
    'domain.created': called(({ data }) => [data.domainId, data.name]),
    'identity_provider.created': called(({ data }) => [data.identityProviderId, data.name]),
    'identity_provider.updated': updated(({ data }) => data.identityProviderId),
    'network_zone.created': called(({ data }) => [data.networkZoneId, data.name]),
    'network_zone.updated': updated(({ data }) => data.networkZoneId),
    'api_resource.created': called(({ data }) => [data.apiResourceId, data.name]),
    'api_resource.updated': updated((event) => event.data.apiResourceId),
    'signing_key.created': called(({ data }) => [data.keyId, data.kid]),
    'ssh_authority_key.created': called(({ data }) => [data.fingerprint, data.fingerprint]),
    'ssh_principal_mapping.created': called(({ data }) => [data.mappingId, data.principals.join(', ')]),
    'service_account.created': called(({ data }) => [data.serviceAccountId, data.name]),
    'service_account.updated': updated((event) => event.data.serviceAccountId),
    'api_key.created': called(({ data }) => [data.keyId, data.name]),
    'saml_certificate.created': called(({ data }) => [
      data.certificateId,
      shortFingerprint(data.fingerprint),
    ]),
    'webhook.created': called(({ data }) => [data.webhookId, data.url]),
    'webhook.updated': {
      apply: (event, rows) => {
        const url = renamed(event.data.changes, 'url')
        if (url !== null) put(rows, event, event.data.webhookId, url)
      },
    },
    'organization.updated': {
      apply: (event, rows) => {
        const name = renamed(event.data.changes, 'organizationName')
        if (name !== null) put(rows, event, 'organization', name)
      },
    },
  },
}
