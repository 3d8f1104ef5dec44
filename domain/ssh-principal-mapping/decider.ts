import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { readSpan, writeSpan } from '../network-zone/address.ts'
import {
  sshExtensions,
  type SshExtension,
  type SshPrincipalMappingEvent,
  type SshPrincipalMappingFields,
} from './events.ts'

/** Certificates and lists stay small with these limits. */
export const MAX_PRINCIPALS = 32
export const MAX_SOURCE_ADDRESSES = 50

/** What a server accepts as the name of an account: one word, so that no name can smuggle in another. */
export const PRINCIPAL_PATTERN = '^[a-z_][a-z0-9_.@-]{0,63}$'

/** The validity of certificates, in seconds. */
export const VALIDITY = { least: 5 * 60, usual: 8 * 3600, most: 24 * 3600 } as const

export const defaultExtensions: readonly SshExtension[] = ['permit-pty', 'permit-port-forwarding']

export interface SshPrincipalMappingState {
  readonly exists: 'not_yet' | 'yes' | 'deleted'
  readonly fields: SshPrincipalMappingFields
}

export type SshPrincipalMappingCommand =
  | { type: 'create'; mappingId: string; fields: SshPrincipalMappingFields }
  | { type: 'update'; mappingId: string; fields: Partial<SshPrincipalMappingFields> }
  | { type: 'delete'; mappingId: string }

const initial: SshPrincipalMappingState = {
  exists: 'not_yet',
  fields: {
    groupId: '',
    principals: [],
    maxValiditySeconds: null,
    sourceAddresses: [],
    extensions: defaultExtensions,
  },
}

/** A mapping without a group and principals, with the usual extensions. */
export const emptyMapping = initial.fields

const evolve = (
  state: SshPrincipalMappingState,
  { type, data }: SshPrincipalMappingEvent,
): SshPrincipalMappingState => {
  switch (type) {
    case 'ssh_principal_mapping.created': {
      const { mappingId: _, ...fields } = data
      return { exists: 'yes', fields }
    }
    case 'ssh_principal_mapping.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'ssh_principal_mapping.deleted':
      return { ...state, exists: 'deleted' }
  }
}

const isPrincipal = (name: string): boolean => new RegExp(PRINCIPAL_PATTERN).test(name)

/** Returns the fields in one form, or why they are not valid. */
const normalised = (
  fields: SshPrincipalMappingFields,
): { readonly fields: SshPrincipalMappingFields } | ReturnType<typeof refuse> => {
  const { principals, sourceAddresses, maxValiditySeconds, extensions } = fields
  if (principals.length === 0 || principals.length > MAX_PRINCIPALS)
    return refuse('ERR_INVALID', `principals: expected 1 to ${String(MAX_PRINCIPALS)} names`, '/principals')
  const wrong = principals.findIndex((name) => !isPrincipal(name))
  if (wrong !== -1)
    return refuse(
      'ERR_INVALID',
      `principals/${String(wrong)}: expected a name such as deploy: lower case letters, digits and _ . @ -`,
      `/principals/${String(wrong)}`,
    )
  if (
    maxValiditySeconds !== null &&
    (maxValiditySeconds < VALIDITY.least || maxValiditySeconds > VALIDITY.most)
  )
    return refuse(
      'ERR_INVALID',
      `maxValiditySeconds: expected ${String(VALIDITY.least)} to ${String(VALIDITY.most)} seconds`,
      '/maxValiditySeconds',
    )
  if (sourceAddresses.length > MAX_SOURCE_ADDRESSES)
    return refuse(
      'ERR_INVALID',
      `sourceAddresses: expected at most ${String(MAX_SOURCE_ADDRESSES)} ranges`,
      '/sourceAddresses',
    )
  const ranges: string[] = []
  for (const [at, text] of sourceAddresses.entries()) {
    const span = readSpan(text)
    if (span === null)
      return refuse(
        'ERR_INVALID',
        `sourceAddresses/${String(at)}: expected an IPv4 or IPv6 address or range such as 192.0.2.0/24`,
        `/sourceAddresses/${String(at)}`,
      )
    ranges.push(writeSpan(span))
  }
  return {
    fields: {
      ...fields,
      principals: [...new Set(principals)].sort(),
      sourceAddresses: [...new Set(ranges)],
      extensions: sshExtensions.filter((name) => extensions.includes(name)),
    },
  }
}

const decide = (
  command: SshPrincipalMappingCommand,
  state: SshPrincipalMappingState,
): Decision<SshPrincipalMappingEvent> => {
  const { mappingId } = command
  if (command.type === 'create') {
    if (state.exists !== 'not_yet') return refuse('ERR_CONFLICT')
    const valid = normalised(command.fields)
    return 'refusal' in valid
      ? valid
      : accept({ type: 'ssh_principal_mapping.created', data: { mappingId, ...valid.fields } })
  }
  if (state.exists !== 'yes') return refuse('ERR_NOT_FOUND')
  if (command.type === 'delete') return accept({ type: 'ssh_principal_mapping.deleted', data: { mappingId } })
  const valid = normalised({ ...state.fields, ...command.fields })
  if ('refusal' in valid) return valid
  const changes = changesOf(state.fields, valid.fields)
  return changes.length === 0
    ? accept()
    : accept({ type: 'ssh_principal_mapping.updated', data: { mappingId, changes } })
}

export const sshPrincipalMappingDecider: Decider<
  SshPrincipalMappingState,
  SshPrincipalMappingCommand,
  SshPrincipalMappingEvent
> = { initial, evolve, decide }

export const sshPrincipalMappingStream = (mappingId: string): string => `ssh_principal_mapping-${mappingId}`
