import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { SshCertificateData, SshCertificateEvent } from './events.ts'

export interface SshCertificateState {
  /** Null before it is issued */
  readonly issued: SshCertificateData | null
  readonly isRevoked: boolean
}

export type SshCertificateCommand =
  | { type: 'issue'; data: SshCertificateData }
  | {
      type: 'revoke'
      serial: string
      /** The only user whose certificate it may be; null for an administrator */
      ownerId: string | null
      reason: string | null
      now: Instant
    }

const initial: SshCertificateState = { issued: null, isRevoked: false }

const evolve = (state: SshCertificateState, { type, data }: SshCertificateEvent): SshCertificateState => {
  switch (type) {
    case 'ssh_certificate.issued':
      return { ...state, issued: data }
    case 'ssh_certificate.revoked':
      return { ...state, isRevoked: true }
  }
}

const decide = (
  command: SshCertificateCommand,
  { issued, isRevoked }: SshCertificateState,
): Decision<SshCertificateEvent> => {
  if (command.type === 'issue') {
    if (issued !== null) return refuse('ERR_CONFLICT')
    // Servers accept a certificate without principals for every account.
    if (command.data.principals.length === 0) return refuse('ERR_NO_PRINCIPALS')
    return accept({ type: 'ssh_certificate.issued', data: command.data })
  }
  const { serial, ownerId, reason, now } = command
  if (issued === null || (ownerId !== null && ownerId !== issued.userId)) return refuse('ERR_NOT_FOUND')
  if (isRevoked) return accept()
  if (issued.validBefore <= now)
    return refuse('ERR_CONFLICT', 'This certificate has expired: no server accepts it any more.')
  return accept({ type: 'ssh_certificate.revoked', data: { serial, userId: issued.userId, reason } })
}

export const sshCertificateDecider: Decider<SshCertificateState, SshCertificateCommand, SshCertificateEvent> =
  { initial, evolve, decide }

export const sshCertificateStream = (serial: string): string => `ssh_certificate-${serial}`
