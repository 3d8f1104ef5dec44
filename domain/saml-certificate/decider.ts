import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { SamlCertificateData, SamlCertificateEvent } from './events.ts'

export interface SamlCertificatesState {
  readonly activeId: string | null
  /** In the metadata before it signs, so that applications know it by then. */
  readonly nextId: string | null
  /** Those that signed before, in the metadata until they are deleted. */
  readonly previousIds: readonly string[]
}

export type SamlCertificateCommand =
  /** Makes what is missing of an active certificate and a next one. Whoever comes second changes nothing. */
  | { readonly type: 'ensure'; readonly active: SamlCertificateData; readonly next: SamlCertificateData }
  | {
      readonly type: 'rotate'
      /** The certificate that the caller saw signing: who asks twice at once rotates once. */
      readonly activeId: string
      readonly next: SamlCertificateData
    }
  /** A next certificate gives way to `next`; a previous one just goes. */
  | { readonly type: 'delete'; readonly certificateId: string; readonly next: SamlCertificateData }

const initial: SamlCertificatesState = { activeId: null, nextId: null, previousIds: [] }

const evolve = (
  state: SamlCertificatesState,
  { type, data }: SamlCertificateEvent,
): SamlCertificatesState => {
  switch (type) {
    case 'saml_certificate.created':
      return { ...state, nextId: data.certificateId }
    case 'saml_certificate.activated':
      return {
        activeId: data.certificateId,
        nextId: state.nextId === data.certificateId ? null : state.nextId,
        previousIds:
          data.previousCertificateId === null
            ? state.previousIds
            : [...state.previousIds, data.previousCertificateId],
      }
    case 'saml_certificate.deleted':
      return {
        ...state,
        nextId: state.nextId === data.certificateId ? null : state.nextId,
        previousIds: state.previousIds.filter((id) => id !== data.certificateId),
      }
  }
}

const created = (data: SamlCertificateData): SamlCertificateEvent => ({
  type: 'saml_certificate.created',
  data,
})

const activated = (certificateId: string, previousCertificateId: string | null): SamlCertificateEvent => ({
  type: 'saml_certificate.activated',
  data: { certificateId, previousCertificateId },
})

const deleted = (certificateId: string): SamlCertificateEvent => ({
  type: 'saml_certificate.deleted',
  data: { certificateId },
})

const decide = (
  command: SamlCertificateCommand,
  { activeId, nextId, previousIds }: SamlCertificatesState,
): Decision<SamlCertificateEvent> => {
  switch (command.type) {
    case 'ensure':
      return accept(
        ...(activeId === null
          ? [created(command.active), activated(command.active.certificateId, null)]
          : []),
        ...(nextId === null ? [created(command.next)] : []),
      )
    case 'rotate':
      if (command.activeId !== activeId) return accept()
      if (nextId === null)
        return refuse('ERR_CONFLICT', 'There is no next certificate yet. Try again in a minute.')
      return accept(activated(nextId, activeId), created(command.next))
    case 'delete': {
      const { certificateId } = command
      if (certificateId === activeId)
        return refuse('ERR_CONFLICT', 'This certificate signs. Rotate first, then delete it.')
      if (certificateId === nextId) return accept(deleted(certificateId), created(command.next))
      return previousIds.includes(certificateId) ? accept(deleted(certificateId)) : refuse('ERR_NOT_FOUND')
    }
  }
}

export const samlCertificateDecider: Decider<
  SamlCertificatesState,
  SamlCertificateCommand,
  SamlCertificateEvent
> = { initial, evolve, decide }

/** All certificates share one stream: which of them is active is one decision. */
export const samlCertificatesStream = 'saml-certificates'
