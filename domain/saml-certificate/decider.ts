import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { SamlCertificateData, SamlCertificateEvent } from './events.ts'

export interface SamlCertificatesState {
  readonly activeId: string | null
  /** It is in the metadata before it signs, so that applications know it in time */
  readonly nextId: string | null
  /** Previous certificates, in the metadata until they are deleted. */
  readonly previousIds: readonly string[]
}

export type SamlCertificateCommand =
  /** Creates a missing active or next certificate. Does nothing if another instance was first. */
  | { readonly type: 'ensure'; readonly active: SamlCertificateData; readonly next: SamlCertificateData }
  | {
      readonly type: 'rotate'
      /** The active certificate that the caller saw: two concurrent requests rotate only once. */
      readonly activeId: string
      readonly next: SamlCertificateData
    }
  /** A deleted next certificate is replaced by `next`; a previous one is only removed. */
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
        return refuse('ERR_CONFLICT', 'The next certificate is not ready. Try again in a minute.')
      return accept(activated(nextId, activeId), created(command.next))
    case 'delete': {
      const { certificateId } = command
      if (certificateId === activeId)
        return refuse('ERR_CONFLICT', 'This is the active certificate. Rotate it first, then delete it.')
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
