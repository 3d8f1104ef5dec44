import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { SshHostCertificateData, SshHostCertificateEvent } from './events.ts'

/** The validity of host certificates, in seconds. A former key of the authority stays published for two days. */
export const HOST_VALIDITY = { least: 5 * 60, most: 24 * 3600 } as const

export interface SshHostCertificateState {
  /** Null before it is issued */
  readonly issued: SshHostCertificateData | null
  readonly isRevoked: boolean
}

export type SshHostCertificateCommand =
  | { type: 'issue'; data: SshHostCertificateData }
  | { type: 'revoke'; serial: string; reason: string | null; now: Instant }

const initial: SshHostCertificateState = { issued: null, isRevoked: false }

const evolve = (
  state: SshHostCertificateState,
  { type, data }: SshHostCertificateEvent,
): SshHostCertificateState => {
  switch (type) {
    case 'ssh_host_certificate.issued':
      return { ...state, issued: data }
    case 'ssh_host_certificate.revoked':
      return { ...state, isRevoked: true }
  }
}

const decide = (
  command: SshHostCertificateCommand,
  { issued, isRevoked }: SshHostCertificateState,
): Decision<SshHostCertificateEvent> => {
  if (command.type === 'issue') {
    if (issued !== null) return refuse('ERR_CONFLICT')
    // ssh accepts a certificate without principals for every host.
    if (command.data.hostNames.length === 0) return refuse('ERR_NO_PRINCIPALS')
    return accept({ type: 'ssh_host_certificate.issued', data: command.data })
  }
  const { serial, reason, now } = command
  if (issued === null) return refuse('ERR_NOT_FOUND')
  if (isRevoked) return accept()
  if (issued.validBefore <= now)
    return refuse('ERR_CONFLICT', 'This certificate has expired: no client accepts it any more.')
  const { serviceAccountId } = issued
  return accept({ type: 'ssh_host_certificate.revoked', data: { serial, serviceAccountId, reason } })
}

export const sshHostCertificateDecider: Decider<
  SshHostCertificateState,
  SshHostCertificateCommand,
  SshHostCertificateEvent
> = { initial, evolve, decide }

export const sshHostCertificateStream = (serial: string): string => `ssh_host_certificate-${serial}`
