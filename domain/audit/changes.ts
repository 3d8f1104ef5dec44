import type { Recorded } from '../catalogue.ts'
import type { Change } from '../changes.ts'

/** Replaces the value of a secret. */
export const HIDDEN = '•'

const isSecret = (field: string): boolean => /(?:secret|token|password|hash)$/i.test(field)

const hidden = (change: Change): Change =>
  isSecret(change.field)
    ? {
        field: change.field,
        from: change.from === null ? null : HIDDEN,
        to: change.to === null ? null : HIDDEN,
      }
    : change

const one = (field: string, from: unknown, to: unknown): readonly Change[] => [{ field, from, to }]

const changesIn = (event: Recorded): readonly Change[] => {
  const { type, data } = event
  switch (type) {
    case 'user.updated':
    case 'group.updated':
    case 'application.updated':
    case 'api_resource.updated':
    case 'organization.updated':
    case 'method_settings.updated':
    case 'webhook.updated':
    case 'shared_signals_stream.updated':
    case 'service_account.updated':
    case 'provisioning.configured':
      return data.changes
    case 'application.saml_updated':
      return data.changes.map((change) => ({ ...change, field: `saml.${change.field}` }))
    case 'user.email_changed':
      return one('email', data.from, data.to)
    case 'user.roles_changed':
    case 'service_account.roles_changed': {
      const before = [...data.roles.filter((role) => !data.added.includes(role)), ...data.removed]
      return one('roles', before, data.roles)
    }
    case 'service_account.ssh_host_names_changed': {
      const before = [...data.hostNames.filter((name) => !data.added.includes(name)), ...data.removed]
      return one('sshHostNames', before, data.hostNames)
    }
    case 'group.rule_changed':
      return one('rule', data.from, data.to)
    case 'application.api_granted':
      return one('scopes', data.previousScopes ?? null, data.scopes)
    case 'application.api_grant_withdrawn':
      return one('scopes', data.previousScopes, null)
    case 'application.secret_created':
      return one('clientSecret', data.rotation ? HIDDEN : null, HIDDEN)
    case 'application.secret_revoked':
      return one('clientSecret', HIDDEN, null)
    case 'api_key.created':
      return one('key', null, HIDDEN)
    case 'api_key.revoked':
      return one('key', HIDDEN, null)
    case 'api_resource.scope_described':
      return one(`scopes.${data.name}.description`, data.from, data.to)
    case 'api_resource.scope_added':
      return one('scopes', null, data.scope.name)
    case 'api_resource.scope_removed':
      return one('scopes', data.name, null)
    default:
      return []
  }
}

/**
 * Returns the fields that an event changed, with old and new values; secrets are hidden. Empty for events that change
 * no field, and after the erasure of the user whom the fields describe.
 */
export const changesOfEvent = (event: Recorded): readonly Change[] => {
  // Personal fields of an erased user are missing, despite the types.
  const changes = changesIn(event) as readonly Change[] | undefined
  return (changes ?? []).filter(({ from, to }) => from !== undefined && to !== undefined).map(hidden)
}
