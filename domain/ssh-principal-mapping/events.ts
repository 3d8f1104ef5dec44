import type { Change } from '../changes.ts'

/** What a certificate permits besides commands (PROTOCOL.certkeys of OpenSSH). */
export const sshExtensions = [
  'permit-pty',
  'permit-port-forwarding',
  'permit-agent-forwarding',
  'permit-X11-forwarding',
  'permit-user-rc',
] as const
export type SshExtension = (typeof sshExtensions)[number]

/** The SSH principals that members of a group get in their certificates, and under which limits. */
export interface SshPrincipalMappingFields {
  readonly groupId: string
  readonly principals: readonly string[]
  /** Null: the maximum of the service */
  readonly maxValiditySeconds: number | null
  /** Ranges in one form (`10.0.0.0/8`); if empty, from every address */
  readonly sourceAddresses: readonly string[]
  readonly extensions: readonly SshExtension[]
}

export type SshPrincipalMappingEvent =
  | { type: 'ssh_principal_mapping.created'; data: SshPrincipalMappingFields & { mappingId: string } }
  | { type: 'ssh_principal_mapping.updated'; data: { mappingId: string; changes: readonly Change[] } }
  | { type: 'ssh_principal_mapping.deleted'; data: { mappingId: string } }
